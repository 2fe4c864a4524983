/**
 * Frees the memory of a buffer at once, unless other buffers share it. The buffer must not be used afterwards. The garbage
 * collector hardly counts memory outside its heap: it would let 64 MB of received chunks pile up first.
 */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
