"""How close a kernel must come to PyTorch, and where it differs on purpose."""
import re

# dtype: (rtol, atol), those of torch.testing.assert_close; bf16 and f16 are wider, because PyTorch's CPU kernels round between
# steps where the reference rounds once.
TOLERANCES = {"f16": (4e-3, 2e-3), "bf16": (1.6e-2, 1e-2), "f32": (1.3e-6, 1e-5), "f64": (1e-7, 1e-7),
              "c64": (2e-6, 1e-5), "c128": (1e-7, 1e-7)}

LONG_SUMS = (r"aten\.(.*mm|addr|addmv|.*conv.*|.*pool.*|.*norm.*|.*attention.*|cum(sum|prod)|logcumsumexp|sum|mean|prod|std|var|"
             r"var_mean|std_mean|baddbmm|dot|vdot|linear|.*scatter.*|index_add|index_put|embedding.*|.*loss.*|.*upsample.*|"
             r"trace|nansum|.*softmax.*|unfold_backward|_foreach_norm|outer|cross_entropy.*|linalg_.*|mv|glu_backward|col2im|"
             r"_unsafe_masked_index_put_accumulate|.*pad.*_backward)_?\..*")
# (pattern of kernels, {dtype: (rtol, atol)}, why)
WIDER = [
    (r"aten\.(addbmm_?|_foreach_(add|sub)_?)\..*", {"bf16": (6e-2, 3e-1)},
     "PyTorch rounds the scaled operand, or each batch's sum, to the narrow dtype"),
    (r"aten\..*attention.*backward\..*", {"f32": (1e-4, 1e-4), "bf16": (5e-2, 6e-2)},
     "PyTorch adds blocks of keys one after the other in f32"),
    (LONG_SUMS, {"bf16": (5e-2, 6e-2), "f16": (1e-2, 1e-2), "f32": (1e-5, 3e-5), "c64": (1e-5, 3e-5)},
     "PyTorch adds in another order, and in places in the narrow dtype"),
    (r"aten\.(_foreach_)?pow_?\..*|aten\.(digamma|lgamma|erfinv|.*polygamma|sinc|tan|logit)_?\..*|aten\._foreach_(lgamma|tan)_?\..*",
     {"f32": (1e-5, 1e-5), "c64": (1e-4, 1e-4), "bf16": (2e-2, 2e-2), "f16": (1e-2, 1e-2), "f64": (1e-6, 1e-6)},
     "functions that PyTorch approximates in the dtype itself"),
]

# Results whose elements nobody defines: only dtype, sizes and strides are compared.
UNDEFINED = [r"aten\.(new_)?empty(_like|_strided|_permuted)?\..*", r"aten\.new_empty_strided\..*", r"aten\.resize_.*",
             r"aten\._resize_output_.*"]
# Results that are places of elements: equal elements may stand in any order.
PLACES = [r"aten\.topk\..*"]


class Reason:
    def __init__(self, why, kernels=r".*", dtypes=None, kinds=("values", ), variants=None, text=""):
        self.why, self.kernels, self.dtypes, self.kinds, self.variants, self.text = why, kernels, dtypes, kinds, variants, text

    def holds(self, target, dtype, kind, message, variant):
        return (re.fullmatch(self.kernels, target) and (self.dtypes is None or dtype in self.dtypes) and kind in self.kinds and
                (self.variants is None or variant in self.variants) and re.search(self.text, message))


REASONS = [
    Reason("complex numbers that the kernel says it does not compute with", dtypes=("c64", "c128"), kinds=("refused", )),
    Reason("forms that the kernel says it does not compute: smoothed labels, probabilities as targets",
           r"aten\.cross_entropy_loss\..*", kinds=("refused", ), text="label_smoothing or a target of probabilities"),
    Reason("an input without a dimension of channels, which the kernel says it does not normalize", r"aten\.batch_norm\..*",
           kinds=("refused", ), text=r"got \w+\[0\]"),
    Reason("dropout, which the kernel refuses: its random numbers would not be PyTorch's", kinds=("refused", ),
           text="got dropout"),
    Reason("norms of lists in another dtype, which the kernel says it does not compute", r"aten\._foreach_norm\..*",
           kinds=("refused", ), text="'dim': got the dtype"),
    Reason("features that are not side by side: PyTorch's kernel reads them as if they were, and its composite takes another "
           "algorithm, which lays out its result anew",
           r"aten\.(_scaled_dot_product_flash_attention_for_cpu|scaled_dot_product_attention)\..*", kinds=("values", "strides"),
           variants=("strided", )),
    Reason("the mean that Welford's algorithm makes of infinities is NaN", r"aten\.(var|std)_mean\..*", variants=("special", )),
    Reason("PyTorch resamples u8 with weights of 16 bits and rounds to the nearest", r"aten\.upsample_bilinear2d\..*",
           dtypes=("u8", )),
    Reason("PyTorch's fused optimizers read tensors that are not contiguous as if they were", r"aten\._fused_.*",
           variants=("strided", )),
    Reason("PyTorch reads the places (or sums) that the forward operator kept as if they were contiguous",
           r"aten\.(adaptive_max_pool3d_backward|.*flash_attention_for_cpu_backward|.*max_pool.*_backward)\..*",
           variants=("strided", )),
    Reason("PyTorch's vectorised loop and its loop for the last elements differ at NaN and infinity",
           r"aten\.(gelu.*|(hard|soft)shrink_backward|hardtanh_backward|logit_backward|threshold.*|relu6.*|.*hardsigmoid.*)\..*",
           variants=("special", )),
    Reason("infinities meet the zeros of a padding, or not, as PyTorch's algorithm for the sizes has it",
           r"aten\.(.*conv.*|.*upsample.*|.*pool.*|.*attention.*|_.*mm.*|.*norm.*|.*softmax.*)\..*", variants=("special", )),
]


def tolerance_of(target, dtype):
    for pattern, tolerances, _ in WIDER:
        if re.fullmatch(pattern, target) and dtype in tolerances:
            return tolerances[dtype]
    return TOLERANCES[dtype]


def explained(target, dtype, kind, message, variant):
    return next((r.why for r in REASONS if r.holds(target, dtype, kind, message, variant)), None)
