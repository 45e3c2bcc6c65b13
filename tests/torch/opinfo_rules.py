"""Defines how close a kernel must be to PyTorch, and the intended differences."""
import re

# dtype: (rtol, atol), those of torch.testing.assert_close; bf16 and f16 are wider, because PyTorch's CPU kernels round
# between steps where the reference rounds once.
TOLERANCES = {"f16": (4e-3, 2e-3), "bf16": (1.6e-2, 1e-2), "f32": (1.3e-6, 1e-5), "f64": (1e-7, 1e-7),
              "c64": (2e-6, 1e-5), "c128": (1e-7, 1e-7)}

LONG_SUMS = (r"aten\.(.*mm|.*conv.*|.*pool.*|.*norm.*|.*attention.*|cum(sum|prod)|sum|mean|prod|std|var|"
             r"var_mean|std_mean|baddbmm|dot|linear|.*scatter.*|index_add|index_put|embedding.*|.*loss.*|.*upsample.*|"
             r".*softmax.*|unfold_backward|_foreach_norm|linalg_.*|mv|_trilinear|"
             r"_unsafe_masked_index_put_accumulate)_?\..*")
# (pattern of kernels, {dtype: (rtol, atol)}, why)
WIDER = [
    (r"aten\.(addbmm|_foreach_(add|sub)_?)\..*", {"bf16": (6e-2, 3e-1), "f16": (1e-2, 5e-2)},
     "PyTorch rounds the scaled operand, or each batch's sum, to the narrow dtype"),
    (r"aten\..*attention.*backward\..*", {"f32": (1e-4, 1e-4), "bf16": (5e-2, 6e-2)},
     "PyTorch adds blocks of keys one after the other in f32"),
    (LONG_SUMS, {"bf16": (5e-2, 6e-2), "f16": (1e-2, 1e-2), "f32": (1e-5, 3e-5), "c64": (1e-5, 3e-5)},
     "PyTorch adds in another order, and in places in the narrow dtype"),
    (r"aten\._euclidean_dist\..*", {"f32": (1e-3, 1e-3)},
     "the square root of a difference of almost equal sums, which PyTorch adds in another order"),
    (r"aten\.(_foreach_)?pow_?\..*|aten\.(digamma|lgamma|erfinv|sinc|tan)_?\..*|aten\._foreach_(lgamma|tan)_?\..*",
     {"f32": (1e-5, 1e-5), "c64": (1e-4, 1e-4), "bf16": (2e-2, 2e-2), "f16": (1e-2, 1e-2), "f64": (1e-6, 1e-6)},
     "functions that PyTorch approximates in the dtype itself"),
]

# Results with undefined elements: only dtype, sizes and strides are compared.
UNDEFINED = [r"aten\.(new_)?empty(_like|_strided|_permuted)?\..*", r"aten\.new_empty_strided\..*", r"aten\.resize_.*",
             r"aten\._resize_output_.*"]
# Results whose columns or rows are determined up to a factor of magnitude 1: magnitudes are compared.
UP_TO_SIGN = [r"aten\._linalg_(eigh|svd)\..*"]
# The last result is places of elements: equal elements may stand in any order.
PLACES = [r"aten\.topk\..*"]


class Reason:
    def __init__(self, why, kernels=r".*", dtypes=None, kinds=("values", ), variants=None, text=""):
        self.why, self.kernels, self.dtypes = why, kernels, dtypes
        self.kinds, self.variants, self.text = kinds, variants, text

    def holds(self, target, dtype, kind, message, variant):
        return (re.fullmatch(self.kernels, target) and (self.dtypes is None or dtype in self.dtypes)
                and kind in self.kinds and
                (self.variants is None or variant in self.variants) and re.search(self.text, message))


POLES = "poles of the derivatives of digamma: PyTorch rounds pi x in f32, ours in f64"
REASONS = [
    Reason("dropout, which the kernel refuses: its random numbers would not be PyTorch's",
           r"aten\._?scaled_dot_product_.*", kinds=("refused", ), text="got dropout"),
    Reason("rows of scores with NaN: PyTorch's blocked kernel of the CPU, which compares without regard to NaN, gives "
           "0; its plain "
           "algorithm and ours give NaN",
           r"aten\._scaled_dot_product_flash_attention_for_cpu(_backward)?\..*", variants=("special", ),
           text="got nan"),
    Reason("the mean of a row with infinities: PyTorch's vectorised form of Welford's algorithm gives NaN, the sum is "
           "infinite",
           r"aten\.native_layer_norm\..*", variants=("special", ), text="nan expected, got -?inf"),
    Reason("complex numbers, which the kernels of these operators say they do not compute with: convolutions, "
           "variances and standard deviations, rms_norm, logarithms of sums of exponentials, nan_to_num, "
           "masked indexing",
           r"aten\.(conv.*|(std|var)(_mean)?|rms_norm|logaddexp|logsumexp|logcumsumexp|nan_to_num_?|"
           r"_unsafe_masked_index.*)\..*", kinds=("refused", ), text=r"got (.* )?c(64|128)"),
    Reason("matrices with NaN or infinities: LAPACK's order of operations decides which elements become NaN",
           r"aten\.(linalg_(cholesky_ex|qr|lu_factor_ex|inv_ex|lu_solve|solve_triangular)|"
           r"_linalg_(eigh|svd|det|slogdet|solve_ex)|cholesky_solve)\..*", variants=("special", )),
    Reason("transforms of lines with infinities: PyTorch mirrors one half of the result, ours computes both",
           r"aten\._fft_.*", variants=("special", ), text="nan"),
    Reason(POLES, r"aten\.polygamma\..*", variants=("special", )),
    Reason(POLES, r"aten\.polygamma\..*", dtypes=("i8", "i32", "i64")),
    Reason("cubic interpolation of volumes, which the kernel refuses",
           r"aten\.grid_sampler_3d(_backward)?\..*", kinds=("refused", ), text="interpolation_mode 2"),
    Reason("products of three tensors with infinities: PyTorch multiplies sums of two of them by the third",
           r"aten\._trilinear\..*", variants=("special", ), text="nan"),
    Reason("gradients of rows with infinities: PyTorch subtracts infinite sums, ours adds infinite products",
           r"aten\.native_(group|layer)_norm_backward\..*", variants=("special", ), text="nan expected, got -?inf"),
]


def tolerance_of(target, dtype):
    for pattern, tolerances, _ in WIDER:
        if re.fullmatch(pattern, target) and dtype in tolerances:
            return tolerances[dtype]
    return TOLERANCES[dtype]


def explained(target, dtype, kind, message, variant):
    return next((r.why for r in REASONS if r.holds(target, dtype, kind, message, variant)), None)
