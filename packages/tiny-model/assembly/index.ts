export { attention, attentionBackward, cachedAttention, writeCache } from "./attention";
export {
  gather,
  normalize,
  normalizeBackward,
  rotate,
  scatterAdd,
  squaredRelu,
  squaredReluBackward,
  transpose,
} from "./elementwise";
export { gemm } from "./gemm";
export { adamW, sumOfSquares } from "./optimizer";
export { logSoftmax, logSoftmaxBackward, probabilities } from "./softmax";
