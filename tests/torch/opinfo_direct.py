"""Lists calls of kernels that PyTorch's lists of samples do not reach: (target, arguments, keywords) of one dtype."""
import torch
import torch._inductor.inductor_prims  # registers prims.fma and similar operators

INTEGER_OPS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
SHIFTS = ["bitwise_left_shift", "bitwise_right_shift"]
COMPARISONS = ["eq", "ge", "gt", "le", "lt", "ne"]
INPLACE = ["gelu_", "square_", "sigmoid_", "silu_", "mish_", "elu_", "leaky_relu_", "relu_"]


def values(dtype, *sizes, low=-4, high=5):
    generator = torch.Generator().manual_seed(len(sizes) + sum(sizes))
    if dtype == torch.bool:
        return torch.randint(0, 2, sizes, generator=generator).bool()
    if dtype.is_floating_point or dtype.is_complex:
        return (torch.rand(sizes, generator=generator, dtype=torch.float64) * (high - low) + low).to(dtype)
    return torch.randint(max(low, 0) if dtype == torch.uint8 else low, high, sizes, generator=generator).to(dtype)


def scalars(dtype):
    x = values(dtype, 3, 4)
    numbers = [2, -3, 0] + ([1.5, float("nan"), float("inf")] if dtype.is_floating_point else [])
    for number in numbers:
        for name in COMPARISONS:
            yield f"aten.{name}_.Scalar", (x, number), {}
        for name in ("floor_divide", "fmod", "remainder", "copysign", "sub", "add", "mul", "div", "rsub"):
            yield f"aten.{name}.Scalar", (x, number), {}
            if name != "rsub":
                yield f"aten.{name}_.Scalar", (x, number), {}
        for name in ("clamp_max", "clamp_min"):
            yield f"aten.{name}.default", (x, number), {}
            yield f"aten.{name}_.default", (x, number), {}
        for mode in (None, "floor", "trunc"):
            yield "aten.div.Scalar_mode", (x, number), {"rounding_mode": mode}
            yield "aten.div_.Scalar_mode", (x, number), {"rounding_mode": mode}
        for name in ("xlogy.Scalar_Other", "xlogy_.Scalar_Other", "pow.Tensor_Scalar"):
            yield f"aten.{name}", (x, number), {}
        yield "aten.xlogy.Scalar_Self", (number, x), {}
        yield "aten.remainder.Scalar_Tensor", (number, x), {}
        yield "aten.pow.Scalar", (number, x), {}
        yield "aten.where.ScalarOther", (x > 0, x, number) if not dtype.is_complex else (x == x, x, number), {}
        yield "aten.where.ScalarSelf", (x == x, number, x), {}
        yield "aten.fill.Scalar", (x, number), {}
    for name in INTEGER_OPS:
        yield f"aten.{name}.Scalar", (x, 5), {}
        yield f"aten.{name}_.Scalar", (x, 5), {}
        yield f"prims.{name}.default", (x, values(dtype, 3, 4, high=9)), {}
        yield f"aten.__{name.split('_')[1]}__.Tensor", (x, values(dtype, 3, 4, high=9)), {}
    for name, dunder in zip(SHIFTS, ("lshift", "rshift")):
        for count in (1, 3, 40, 70):
            yield f"aten.{name}.Tensor_Scalar", (x, count), {}
            yield f"aten.{name}_.Tensor_Scalar", (x, count), {}
            yield f"aten.__{dunder}__.Scalar", (x, count), {}
    for low, high in ((-1000, 1000), (-5, 2), (1, None), (None, 100), (1.5, 2.5), (3, 1), (float("nan"), 2.0)):
        yield "aten.clamp.default", (x, low, high), {}
        yield "aten.clamp_.default", (x, low, high), {}
    for factor in (1j, 2 - 3j):
        yield "aten.mul.Tensor", (x, factor), {}
        yield "aten.add.Tensor", (x, factor), {}
        yield "aten.div.Tensor", (x, factor), {}


def shapes(dtype):
    """Yields in-place changes of a tensor's shape."""
    x, one = values(dtype, 3, 4), values(dtype, 1, 3, 1)
    for name, *arguments in (("t_", ), ("transpose_", 0, 1), ("transpose_", -1, 0), ("swapaxes_", 0, 1),
                             ("swapdims_", 0, -1),
                             ("unsqueeze_", 1), ("unsqueeze_", -1), ("as_strided_", [2, 2], [1, 4]),
                             ("as_strided_", [2], [3], 1), ("resize_", [2, 5]), ("resize_", [4, 4]),
                             ("resize_", [3, 4]),
                             ("resize_", [0]), ("set_", )):
        yield f"aten.{name}.default", (x, *arguments), {}
    yield "aten.t_.default", (values(dtype, 3), ), {}
    yield "aten.squeeze_.default", (one, ), {}
    yield "aten.squeeze_.dim", (one, 0), {}
    yield "aten.squeeze_.dim", (one, 1), {}
    yield "aten.squeeze_.dims", (one, [0, 2]), {}
    other = values(dtype, 2, 6)
    yield "aten.resize_as_.default", (x, other), {}
    yield "aten._resize_output_.default", (x, [2, 3], torch.device("cpu")), {}
    yield "aten.set_.source_Tensor", (x, other.t()), {}
    yield "aten.set_.source_Tensor_storage_offset", (x, other, 2, [2, 3]), {}
    yield "aten.set_.source_Tensor_storage_offset", (x, other, 1, [2, 2], [1, 4]), {}
    yield "aten.set_.source_Tensor_storage_offset", (x, other, 3, [4, 4]), {}
    yield "aten.set_data.default", (x, other), {}
    yield "aten.resize_.default", (values(dtype, 2, 3, 4, 5), [5, 2, 3, 2]), {"memory_format": torch.channels_last}
    for name in ("detach", "alias", "lift_fresh", "detach_", "squeeze", "t", "positive", "contiguous"):
        yield f"aten.{name}.default", (values(dtype, 4), ), {}


def copies(dtype):
    x, parts = values(dtype, 3, 4), values(dtype, 6, 4)
    for name, *arguments in (("detach_copy.default", ), ("select_copy.int", 0, 1), ("slice_copy.Tensor", 1, 1, 3),
                             ("split_copy.Tensor", 2), ("squeeze_copy.dims", [0]), ("lift_fresh_copy.default", ),
                             ("fill.Tensor", torch.tensor(3).to(dtype)), ("fill_.Tensor", torch.tensor(2).to(dtype)),
                             ("copy.default", values(torch.float32, 3, 4)), ("copy_.default", values(torch.float64, 4)),
                             ("_reshape_alias.default", [4, 3], [3, 1]),
                             ("_reshape_alias_copy.default", [4, 3], [3, 1]),
                             ("unsafe_split_with_sizes.default", [1, 3], 1), ("_conj_copy.default", ),
                             ("slice_scatter.default", values(dtype, 3, 2), 1, 0, 4, 2), ("multiply.Tensor", x),
                             ("multiply_.Tensor", x), ("true_divide_.Tensor", x + x)):
        yield f"aten.{name}", (x, *arguments), {}
    for other in (torch.int32, torch.float32, torch.uint8, torch.float64, torch.int8):
        yield "aten.view.dtype", (values(dtype, 2, 8), other), {}
        yield "aten.view_copy.dtype", (values(dtype, 2, 8), other), {}
        yield "prims.convert_element_type.default", (x, other), {}
    yield "aten.split_with_sizes_copy.out", (parts,
                                             [2, 4]), {"out": [torch.zeros(2, 4, dtype=dtype),
                                                               torch.ones(4, 4, dtype=dtype)]}
    yield "aten.view_as_real_copy.default", (values(torch.complex64, 2, 3), ), {}
    yield "aten.view_as_complex_copy.default", (values(torch.float32, 3, 2), ), {}
    index = (torch.tensor([0, 2, 0]), )
    for accumulate in (False, True):
        for name in ("_index_put_impl_", "_unsafe_index_put", "index_put", "index_put_"):
            yield f"aten.{name}.default", (parts, list(index), values(dtype, 3, 4), accumulate), {}
    yield "aten._unsafe_index.Tensor", (parts, [torch.tensor([[0, 5], [1, 1]])]), {}
    yield "prims.rev.default", (x, [0]), {}
    yield "prims.inductor_force_stride_order.default", (x, [1, 3]), {}
    yield "prims._unsafe_index_put_.default", (x, [torch.tensor([2, 0])], values(dtype, 2, 1)), {}
    yield "prims.iota.default", (5, ), {"start": 2, "step": 3, "dtype": torch.int64, "device": torch.device("cpu"),
                                        "requires_grad": False}


def networks(dtype):
    if not dtype.is_floating_point:
        return
    x, weight = values(dtype, 2, 4, 6), values(dtype, 4)
    images = values(dtype, 2, 3, 6, 5)
    for name in INPLACE:
        yield f"aten.{name}.default", (x, ), {}
    yield "aten.contiguous.default", (x.transpose(1, 2), ), {}
    yield "aten._fused_rms_norm.default", (x, [6], values(dtype, 6), 1e-5), {}
    mean, scale = values(dtype, 4), values(dtype, 4, low=1)
    for training in (True, False):
        yield "aten._native_batch_norm_legit_functional.default", (x, weight, weight, mean, scale, training, 0.1,
                                                                   1e-5), {}
    yield "aten._native_batch_norm_legit.no_stats", (x, weight, weight, True, 0.1, 1e-5), {}
    yield "aten._native_batch_norm_legit_no_training.default", (x, weight, weight, mean, scale, 0.1, 1e-5), {}
    yield "aten.native_batch_norm_backward.default", (x, x + 1, weight, mean, scale, mean, scale, True, 1e-5,
                                                      [True, True, True]), {}
    yield "aten.native_batch_norm_backward.default", (x, x + 1, weight, mean, scale, mean, scale, False, 1e-5,
                                                      [True, True, True]), {}
    for aligned in (True, False):
        yield "aten.upsample_bilinear2d.default", (images, [9, 7], aligned), {}
        yield "aten.upsample_bilinear2d.vec", (images, None, aligned, [1.5, 2.0]), {}
        yield "aten.upsample_bilinear2d_backward.default", (values(dtype, 2, 3, 9, 7), [9, 7], [2, 3, 6, 5],
                                                            aligned), {}
    yield "aten.conv2d.padding", (images, values(dtype, 4, 3, 3, 3), None, [1, 1], "same"), {}
    yield "aten.norm.Scalar", (x, 2), {}
    yield "aten.norm.ScalarOpt_dim_dtype", (x, 2, [1], False), {"dtype": dtype}
    yield "aten.mm.default", (values(dtype, 3, 4), values(dtype, 4, 2)), {}
    for efficient in ("_scaled_dot_product_flash_attention_for_cpu", ):
        q, k, v = (values(dtype, 1, 2, n, 8) / 4 for n in (5, 6, 6))
        yield f"aten.{efficient}.default", (q, k, v), {}
        yield f"aten.{efficient}.default", (q, k, v, 0.0, True), {}
    yield "prims.fma.default", (x, x + 1, x - 1), {}
    yield "prims.prepare_softmax_online.default", (x, -1), {}


def lists(dtype):
    xs, ys = [values(dtype, 3), values(dtype, 2, 2)], [values(dtype, 3, low=1), values(dtype, 2, 2, low=1)]
    yield "aten._foreach_add.Tensor", (xs, torch.tensor(2).to(dtype)), {}
    yield "aten._foreach_add_.Tensor", (xs, torch.tensor(2).to(dtype)), {}
    for name in ("addcdiv", "addcmul"):
        yield f"aten._foreach_{name}.ScalarList", (xs, ys, ys, [0.5, 2.0]), {}
        yield f"aten._foreach_{name}_.ScalarList", (xs, ys, ys, [0.5, 2.0]), {}
    yield "aten._foreach_pow.ScalarAndTensor", (2, xs), {}
    if not dtype.is_floating_point:
        return
    zeros = [torch.zeros_like(x) for x in xs]
    steps = [torch.tensor(3.0), torch.tensor(1.0)]
    for name in ("adam", "adamw"):
        for rate in (0.01, torch.tensor(0.01)):
            overload = "tensor_lr" if isinstance(rate, torch.Tensor) else "default"
            yield (f"aten._fused_{name}_.{overload}",
                   (xs, ys, [z + 0.1 for z in zeros], [z + 0.2 for z in zeros], [], steps),
                   dict(lr=rate, beta1=0.9, beta2=0.99, weight_decay=0.1, eps=1e-8, amsgrad=False, maximize=False))
    for rate in (0.01, torch.tensor(0.01)):
        overload = "tensor_lr" if isinstance(rate, torch.Tensor) else "default"
        yield (f"aten._fused_sgd_.{overload}", (xs, ys, [z + 0.1 for z in zeros]),
               dict(weight_decay=0.1, momentum=0.9, lr=rate, dampening=0.0, nesterov=True, maximize=False,
                    is_first_step=False))


def special(dtype):
    """Yields NaN, infinities and limits for operators that order or round."""
    if not dtype.is_floating_point:
        return
    nan, inf = float("nan"), float("inf")
    x = torch.tensor([[1.0, nan, -2.0, inf], [nan, -inf, 3.0, nan], [0.0, -0.0, 5.0, 5.0]]).to(dtype)
    for name in ("argmax.default", "argmin.default", "max.dim", "min.dim", "sort.default", "cummax.default",
                 "cummin.default"):
        yield f"aten.{name}", (x, 1), {}
    for name in ("argmax", "argmin", "max", "min", "sign", "sgn", "relu", "isnan", "sum", "mean", "abs"):
        yield f"aten.{name}.default", (x, ), {}
    yield "aten.heaviside.default", (x, torch.full_like(x, 5.0)), {}
    line = torch.tensor([-1.0, 0.0, 2.0, 5.0]).to(dtype)
    for right in (False, True):
        yield "aten.bucketize.Tensor", (x, line), {"right": right}
        yield "aten.searchsorted.Tensor", (line, x), {"right": right}
    for name in ("maximum", "minimum", "fmax", "fmin", "remainder.Tensor", "fmod.Tensor", "pow.Tensor_Tensor", "atan2"):
        yield f"aten.{name}" + ("" if "." in name else ".default"), (x, torch.flip(x, [0])), {}
    for name in ("clamp", "clamp_"):
        yield f"aten.{name}.Tensor", (x, torch.flip(x, [0]), torch.flip(x, [1])), {}
    yield "aten.topk.default", (x, 2), {}


def direct_calls(dtype):
    for family in (scalars, shapes, copies, networks, lists, special):
        generator = family(dtype)
        while True:
            try:
                yield next(generator)
            except StopIteration:
                break
            except Exception:  # PyTorch has no such operator for this dtype
                break
