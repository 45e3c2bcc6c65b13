// The kernels by family; kernel_registry.cpp joins and sorts them once, at the first lookup. A family is one file, and
// the only place that lists its operators.
//
// Ownership: the tables are constants, which everybody borrows. Nothing here fails.
#pragma once

#include "ccgraph/runtime/kernels.h"

namespace ccgraph::runtime {

[[nodiscard]] llvm::ArrayRef<Kernel> arithmeticKernels();      ///< add, mul, pow, bitwise, comparisons
[[nodiscard]] llvm::ArrayRef<Kernel> mathKernels();            ///< exp, tanh, activations and their derivatives
[[nodiscard]] llvm::ArrayRef<Kernel> activationKernels();      ///< elu, hardtanh, glu and their derivatives
[[nodiscard]] llvm::ArrayRef<Kernel> specialFunctionKernels(); ///< i0, polygamma, logit
[[nodiscard]] llvm::ArrayRef<Kernel> selectionKernels();       ///< where, clamp, masked_fill, lerp, fma
[[nodiscard]] llvm::ArrayRef<Kernel> viewKernels();            ///< results that share their argument's memory
[[nodiscard]] llvm::ArrayRef<Kernel> metadataKernels();      ///< a tensor object gets another shape: t_, resize_, set_
[[nodiscard]] llvm::ArrayRef<Kernel> creationKernels();      ///< full, arange, zeros_like
[[nodiscard]] llvm::ArrayRef<Kernel> copyKernels();          ///< clone, copy_, cat, pad, slice_scatter
[[nodiscard]] llvm::ArrayRef<Kernel> rearrangingKernels();   ///< roll, pixel_shuffle
[[nodiscard]] llvm::ArrayRef<Kernel> reductionKernels();     ///< sum, mean, amax, any, var_mean
[[nodiscard]] llvm::ArrayRef<Kernel> orderKernels();         ///< sort, topk, argmax, cumsum
[[nodiscard]] llvm::ArrayRef<Kernel> indexKernels();         ///< index, gather, embedding
[[nodiscard]] llvm::ArrayRef<Kernel> scatterKernels();       ///< scatter, index_put
[[nodiscard]] llvm::ArrayRef<Kernel> embeddingBagKernels();  ///< _embedding_bag
[[nodiscard]] llvm::ArrayRef<Kernel> scatterReduceKernels(); ///< scatter_reduce, masked_scatter, index_fill
[[nodiscard]] llvm::ArrayRef<Kernel> searchKernels();        ///< searchsorted, bucketize
[[nodiscard]] llvm::ArrayRef<Kernel> matmulKernels();        ///< mm, bmm, addmm, linear
[[nodiscard]] llvm::ArrayRef<Kernel> scaledProductKernels(); ///< _scaled_mm of float8
[[nodiscard]] llvm::ArrayRef<Kernel> distanceKernels();      ///< cdist, pdist
[[nodiscard]] llvm::ArrayRef<Kernel> factorizationKernels(); ///< Cholesky, LU, QR, eigenvalues
[[nodiscard]] llvm::ArrayRef<Kernel> linearSolverKernels();  ///< linalg_solve, inverses, determinants
[[nodiscard]] llvm::ArrayRef<Kernel> attentionKernels();     ///< scaled dot product attention
[[nodiscard]] llvm::ArrayRef<Kernel> lossKernels();          ///< softmax, nll_loss, mse_loss
[[nodiscard]] llvm::ArrayRef<Kernel> classLossKernels();     ///< nll_loss2d, multi_margin_loss
[[nodiscard]] llvm::ArrayRef<Kernel> ctcLossKernels();       ///< _ctc_loss
[[nodiscard]] llvm::ArrayRef<Kernel> normKernels();          ///< layer_norm, rms_norm
[[nodiscard]] llvm::ArrayRef<Kernel> elementLossKernels();   ///< smooth_l1_loss
[[nodiscard]] llvm::ArrayRef<Kernel> channelNormKernels();   ///< batch_norm, group_norm
[[nodiscard]] llvm::ArrayRef<Kernel> convolutionKernels();   ///< convolution and its derivative, conv2d
[[nodiscard]] llvm::ArrayRef<Kernel> poolingKernels();       ///< max_pool, avg_pool
[[nodiscard]] llvm::ArrayRef<Kernel> adaptivePoolingKernels(); ///< adaptive_avg_pool, adaptive_max_pool, max_unpool
[[nodiscard]] llvm::ArrayRef<Kernel> resamplingKernels();      ///< upsample_nearest, _bilinear, _bicubic
[[nodiscard]] llvm::ArrayRef<Kernel> fourierKernels();         ///< _fft_c2c, _fft_r2c, _fft_c2r
[[nodiscard]] llvm::ArrayRef<Kernel> gridSamplerKernels();     ///< grid_sampler
[[nodiscard]] llvm::ArrayRef<Kernel> windowKernels();          ///< unfold, diagonal_scatter, index_copy
[[nodiscard]] llvm::ArrayRef<Kernel> foldingKernels();         ///< im2col, col2im
[[nodiscard]] llvm::ArrayRef<Kernel> paddingKernels();         ///< reflection_pad, replication_pad
[[nodiscard]] llvm::ArrayRef<Kernel> compositeKernels(); ///< made of calls of other kernels: aminmax, std_mean, norm
[[nodiscard]] llvm::ArrayRef<Kernel> shortKernels();     ///< made of a few calls: reshape_as, var_mean
[[nodiscard]] llvm::ArrayRef<Kernel> formulaKernels();   ///< diag_embed, addmv, renorm, linspace
[[nodiscard]] llvm::ArrayRef<Kernel> foreachKernels();   ///< one operator on each element of lists
[[nodiscard]] llvm::ArrayRef<Kernel> optimizerKernels(); ///< fused Adam and AdamW
[[nodiscard]] llvm::ArrayRef<Kernel> bucketingKernels(); ///< Inductor's packing of buckets
[[nodiscard]] llvm::ArrayRef<Kernel> hostKernels();      ///< Python's operators, sizes, asserts, item()

/// The in-place forms of functional operators (add_ of add) and the copies of views (view_copy of view), for the ones
/// among `functional` that PyTorch has them of.
[[nodiscard]] std::vector<Kernel> derivedKernels(llvm::ArrayRef<Kernel> functional);

} // namespace ccgraph::runtime
