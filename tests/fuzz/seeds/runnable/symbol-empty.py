
import os
os.environ['TORCHINDUCTOR_FX_GRAPH_CACHE'] = '0'

import torch
from torch import tensor, device
import torch.distributed as dist

isolate_fails_code_str = None

from torch.nn import *
class Repro(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()



    def forward(self, primals_1, primals_2, primals_3, primals_4):
        convert_element_type = torch.ops.prims.convert_element_type.default(primals_2, torch.bfloat16);  primals_2 = None
        all_gather_into_tensor = torch.ops._c10d_functional.all_gather_into_tensor.default(convert_element_type, 8, '0');  convert_element_type = None
        wait_tensor = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor);  all_gather_into_tensor = None
        permute = torch.ops.aten.permute.default(wait_tensor, [1, 0]);  wait_tensor = None
        mm = torch.ops.aten.mm.default(primals_3, permute)
        sum_1 = torch.ops.aten.sum.dim_IntList(mm, [1], True)
        all_reduce = torch.ops._c10d_functional.all_reduce.default(sum_1, 'sum', '3');  sum_1 = None
        wait_tensor_1 = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None
        sub = torch.ops.aten.sub.Tensor(mm, wait_tensor_1);  mm = wait_tensor_1 = None
        return (sub, permute, primals_1, primals_3, primals_4)

def load_args(reader):
    reader.symint(3, expr='')  # primals_1
    buf0 = reader.storage(None, 4096, device=device(type='cuda', index=0))
    reader.tensor(buf0, (32, 32), is_leaf=True)  # primals_2
    buf1 = reader.storage(None, 64*s77, device=device(type='cuda', index=0), dtype_hint=torch.bfloat16)
    reader.tensor(buf1, (s77, 32), (1, s77), dtype=torch.bfloat16, is_leaf=True)  # primals_3
    reader.opaque('torch.distributed.device_mesh.DeviceMesh')  # primals_4
load_args._version = 0
mod = Repro()
if __name__ == '__main__':
    from torch._dynamo.repro.after_aot import run_repro
    from torch._dynamo.repro.after_aot import setup_fake_process_groups
    setup_fake_process_groups({'0': {'size': 8, 'rank': 0}})
    with torch.no_grad():
        run_repro(mod, load_args, accuracy=False, command='run', save_dir=None, tracing_mode='symbolic', check_str=None, is_inference=False)
    dist.destroy_process_group()
