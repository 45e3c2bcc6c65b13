"""What torch.distributed has besides functions, for the recorded calls: reductions, backends, batches, functional
collectives. Each leads to ccgraph's counterpart."""
import types

import group_cases as cases
from group_cases import NotOurs


class Reduction(str):
    """A reduction, as ccgraph writes it: "sum", "premul_sum 2.5"."""
    @property
    def name(self): return cases.LIBRARY.value("reduction", text=str.__str__(self))[0].split(".")[1]
    def __str__(self): return cases.LIBRARY.value("reduction", text=str.__str__(self))[0]
    def __repr__(self): raise NotOurs("the text of an object is Python's")
    def __reduce__(self): return parsed, (cases.LIBRARY.value("reduction", text=str.__str__(self))[1],)
    def __deepcopy__(self, memo): return parsed(self.__reduce__()[1][0])
    __copy__ = lambda self: self.__deepcopy__({})
    __hash__ = str.__hash__

    def __call__(self, factor):
        if str.__str__(self) != "premul_sum":
            raise NotOurs("a reduction without a factor is no function")
        return parsed("premul_sum " + float(factor).hex())

    @property
    def factor(self): return float.fromhex(str.__str__(self).split(" ")[1])


def parsed(text):
    return Reduction(cases.LIBRARY.value("reduction", text=text)[1])


NAMES = ("SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR")


class ReduceOp:
    """The names of reductions."""
    PREMUL_SUM = Reduction("premul_sum")
    RedOpType = types.SimpleNamespace(__members__={name: Reduction(name.lower()) for name in NAMES})

    def __init__(self, *arguments):
        raise NotOurs("the wrapper of a reduction is Python's")


for _name in NAMES:
    setattr(ReduceOp, _name, ReduceOp.RedOpType.__members__[_name])


def backend_class(dist):
    """torch.distributed.Backend of one rank; each registered backend is ccgraph's class Dummy of the records."""
    class Plugins:
        def __getitem__(self, name): raise NotOurs("the registry of creators is the library's own")

    class Backend(str):
        _plugins = Plugins()

        def __new__(cls, name):
            if not isinstance(name, str):
                raise NotOurs("the type of a name is Python's")
            return str.__new__(cls, name.lower())

        @staticmethod
        def register_backend(name, creator, extended_api=False, devices=None):
            if extended_api:
                raise NotOurs("the arguments of a creator are the compiler's")
            devices = [devices] if isinstance(devices, str) else list(devices or [])
            warning = cases.LIBRARY.value("register_backend", name=name, devices=devices, creates=creator is not None)
            dist.registered.add(name.lower())
            if warning:
                dist.more_warnings.append(warning)
            setattr(Backend, name.upper(), name.lower())
    return Backend


class P2POp:
    """One transfer of a batch."""
    def __init__(self, dist, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        names = {dist.isend: "send", dist.irecv: "recv"}
        self.dist, self.group, self.tensor = dist, group, dist.is_tensor(tensor)
        self.transfer = {"op": names.get(op, "all_reduce"), "tensor": dist.memory(tensor), "tag": tag,
                         "peer": dist.member_rank(group, peer, group_peer)}
        if op not in names:  # the batch refuses it
            cases.LIBRARY.ask("batch", group=dist.of(group).handle, transfers=[self.transfer])


def batch_isend_irecv(dist, operations, work):
    if not operations:
        return None
    handles = cases.LIBRARY.value("batch", group=dist.of(operations[0].group).handle,
                                  transfers=[operation.transfer for operation in operations])
    return [work(handle, [operation.tensor]) for handle, operation in zip(handles, operations)]


class Functional:
    """torch.distributed._functional_collectives: results are new tensors."""
    def __init__(self, dist): self.dist = dist
    def wait_tensor(self, tensor): return tensor

    def all_reduce(self, tensor, reduction, ranks):
        if ranks != list(range(self.dist.world.size())):
            raise NotOurs("a list of ranks names the world alone")
        result = tensor.clone()
        self.dist.all_reduce(result, op=parsed(reduction))
        return result
