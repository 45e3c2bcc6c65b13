// The families of type rules, which table.cpp gives to operators. Each holds to rule.h.
#pragma once

#include "infer/rule.h"

namespace ccgraph::infer {

// Elementwise: broadcast, promoted, laid out as TensorIterator does.
TypePtr arithmeticType(Call &call);
TypePtr floatType(Call &call);       ///< integers become floats
TypePtr realType(Call &call);        ///< complex numbers become their parts' dtype
TypePtr boolType(Call &call);        ///< comparisons
TypePtr quotientType(Call &call);    ///< div with a rounding mode
TypePtr chosenType(Call &call);      ///< relu, clamp: where(x > number, x, number)
TypePtr chosenByOperand(Call &call); ///< where.ScalarOther
TypePtr likeType(Call &call);        ///< laid out as an elementwise operator lays out its result
TypePtr filledType(Call &call);      ///< masked_fill
TypePtr triangleType(Call &call);    ///< tril, triu
TypePtr softplusType(Call &call);    ///< log_sigmoid_forward: the result and a buffer
TypePtr broadcastType(Call &call);
TypePtr foreachType(Call &call);      ///< a list like the first one
TypePtr foreachFloatType(Call &call); ///< the same, where integers become floats
TypePtr foreachNormType(Call &call);  ///< one number for each tensor

// Reductions: contiguous results.
TypePtr sameReduction(Call &call);   ///< amax, amin, mean: the operand's dtype, or the one asked for
TypePtr sumReduction(Call &call);    ///< integers become i64
TypePtr boolReduction(Call &call);   ///< any, all
TypePtr normReduction(Call &call);   ///< real
TypePtr floatReduction(Call &call);  ///< logsumexp: integers become floats
TypePtr indexReduction(Call &call);  ///< argmax: i64
TypePtr pairReduction(Call &call);   ///< max.dim: values and indices
TypePtr momentReduction(Call &call); ///< var_mean
TypePtr onlineSoftmax(Call &call);   ///< maximum and sum along a dimension, kept
TypePtr scanType(Call &call);        ///< cumsum: integers become i64
TypePtr sortType(Call &call);
TypePtr topkType(Call &call);

// Selections and copies.
TypePtr gatherType(Call &call);     ///< sizes of the index
TypePtr contiguousSelf(Call &call); ///< scatter: like the first operand, contiguous
TypePtr preservedSelf(Call &call);  ///< a clone of the first operand
TypePtr embeddingType(Call &call);
TypePtr embeddingBackward(Call &call);
TypePtr indexType(Call &call);
TypePtr indexSelectType(Call &call);
TypePtr sliceBackward(Call &call); ///< input_sizes are given
TypePtr padType(Call &call);
TypePtr stackType(Call &call);
TypePtr catType(Call &call);
TypePtr repeatType(Call &call);   ///< repeat_interleave
TypePtr copyType(Call &call);     ///< clone, _to_copy
TypePtr likeCopyType(Call &call); ///< zeros_like
TypePtr deviceType(Call &call);   ///< device_put

// New tensors.
TypePtr createdType(Call &call); ///< sizes first: empty, full
TypePtr newType(Call &call);     ///< new_empty: dtype and device of the operand
TypePtr stridedType(Call &call); ///< new_empty_strided, empty_strided
TypePtr scalarType(Call &call);  ///< scalar_tensor
TypePtr rangeType(Call &call);   ///< arange
TypePtr iotaType(Call &call);

// Views: sizes and strides of the operand, rearranged.
TypePtr operandType(Call &call); ///< alias, detach, and copies with the very strides: the first operand's own type
TypePtr viewType(Call &call);    ///< view, reshape: a view where strides allow, else contiguous
TypePtr flattenType(Call &call);
TypePtr transposeType(Call &call); ///< transpose.int, and t, whose dimensions are 0 and 1
TypePtr permuteType(Call &call);
TypePtr expandType(Call &call);
TypePtr unsqueezeType(Call &call);
TypePtr squeezeType(Call &call);
TypePtr selectType(Call &call);
TypePtr sliceType(Call &call);
TypePtr splitType(Call &call); ///< split, split_with_sizes
TypePtr unbindType(Call &call);
TypePtr asStridedType(Call &call);
TypePtr diagonalType(Call &call);
TypePtr windowsType(Call &call);  ///< unfold
TypePtr bitsType(Call &call);     ///< view as another dtype
TypePtr complexType(Call &call);  ///< view_as_complex
TypePtr realViewType(Call &call); ///< view_as_real

// Images: the last dimensions are spatial, and the layout is row-major or has channels last.
TypePtr poolType(Call &call);
TypePtr poolWithPlaces(Call &call);  ///< max_pool2d_with_indices
TypePtr poolWithOffsets(Call &call); ///< prims._low_memory_max_pool_with_offsets
TypePtr offsetsAsPlaces(Call &call); ///< prims._low_memory_max_pool_offsets_to_indices
TypePtr adaptivePoolType(Call &call);
TypePtr adaptivePoolWithPlaces(Call &call);
TypePtr imageBackward(Call &call); ///< like the operand self
TypePtr resizedType(Call &call);   ///< upsample_*
TypePtr resizedBackward(Call &call);
TypePtr edgePadType(Call &call); ///< reflection_pad, replication_pad
TypePtr affineGridType(Call &call);
TypePtr gridSampleType(Call &call);
TypePtr gridSampleBackward(Call &call);
TypePtr columnsType(Call &call); ///< im2col
TypePtr foldedType(Call &call);  ///< col2im
TypePtr convolutionType(Call &call);
TypePtr convolutionBackward(Call &call);
TypePtr batchNormForward(Call &call);
TypePtr groupNormForward(Call &call);
TypePtr channelNormBackward(Call &call);
TypePtr pixelShuffleType(Call &call);

// Matrices and transforms.
TypePtr choleskyType(Call &call);
TypePtr eigenType(Call &call);
TypePtr luType(Call &call);
TypePtr qrType(Call &call);
TypePtr complexTransform(Call &call);
TypePtr realToComplexTransform(Call &call);
TypePtr complexToRealTransform(Call &call);
TypePtr distancesType(Call &call);    ///< _cdist_forward
TypePtr rowDistancesType(Call &call); ///< _pdist_forward
TypePtr vectorProduct(Call &call);    ///< mv, dot

// Searches, and other operators with sizes of their own.
TypePtr placesType(Call &call); ///< searchsorted, bucketize
TypePtr nonzeroType(Call &call);
TypePtr nonzeroStaticType(Call &call);
TypePtr kthValueType(Call &call);
TypePtr histogramType(Call &call);
TypePtr maskedSelectType(Call &call);
TypePtr pairOfOperands(Call &call); ///< _prelu_kernel_backward
TypePtr gluType(Call &call);
TypePtr rolledType(Call &call);   ///< roll
TypePtr scanPairType(Call &call); ///< cummax
TypePtr eyeType(Call &call);
TypePtr linspaceType(Call &call);
TypePtr permutationType(Call &call); ///< randperm
TypePtr tiledType(Call &call);       ///< repeat
TypePtr embeddingBagType(Call &call);

// Networks.
TypePtr linearType(Call &call);
TypePtr matmulType(Call &call);
TypePtr scaledMatmulType(Call &call);
TypePtr groupedMatmul(Call &call);
TypePtr lossType(Call &call); ///< reduction 0: elementwise
TypePtr lossBackward(Call &call);
TypePtr nllForward(Call &call);
TypePtr nllBackward(Call &call);
TypePtr softmaxType(Call &call);
TypePtr softmaxBackward(Call &call);
TypePtr normForward(Call &call); ///< native_layer_norm, _fused_rms_norm
TypePtr normBackward(Call &call);
TypePtr dropoutType(Call &call); ///< the result, and which elements were kept
TypePtr dropoutBackward(Call &call);
TypePtr flashAttention(Call &call);
TypePtr flashAttentionOnCpu(Call &call);
TypePtr efficientAttention(Call &call);
TypePtr attentionBackward(Call &call);
TypePtr flexAttention(Call &call);
TypePtr flexAttentionBackward(Call &call);
TypePtr subgraphResult(Call &call); ///< what a subgraph of the call returns

// Collectives, which have these rules by their role, and buckets.
TypePtr collectiveType(Call &call);
/// ao.offload and ao.reload.
TypePtr hostCopyType(Call &call);
TypePtr waitType(Call &call);
TypePtr getItemType(Call &call);
TypePtr writtenType(Call &call); ///< in-place and out= forms: the type of what is written
TypePtr gatherBucket(Call &call);
TypePtr scatterBucket(Call &call);

// Numbers.
TypePtr itemType(Call &call); ///< _local_scalar_dense: a new symbol
TypePtr sizeType(Call &call);
TypePtr numelType(Call &call);
TypePtr symbolicSum(Call &call);
TypePtr numberArithmetic(Call &call);
TypePtr comparedNumbers(Call &call);

} // namespace ccgraph::infer
