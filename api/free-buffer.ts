/**
 * Frees the memory of a buffer at once, unless other buffers share it. The buffer must not be used afterwards. Without this,
 * 64 MB of received chunks pile up, because the garbage collector hardly counts memory outside its heap.
 */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
