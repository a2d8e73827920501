export { attention, attentionBackward, cachedAttention, writeCache } from "./attention";
export {
  addToRows,
  gate,
  gateBackward,
  gather,
  multiply,
  normalize,
  normalizeBackward,
  rotate,
  scaleColumns,
  scatterAdd,
  squaredRelu,
  squaredReluBackward,
  transpose,
} from "./elementwise";
export { gemm } from "./gemm";
export { adamW, sumOfSquares } from "./optimizer";
export { logSoftmax, logSoftmaxBackward, probabilities } from "./softmax";
