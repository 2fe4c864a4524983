/**
 * Frees the memory of a buffer that nobody reads any more, unless it shares the memory with other buffers. The garbage
 * collector frees what arrived only once it has grown by 64 MB: it hardly counts memory outside of its heap.
 */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
