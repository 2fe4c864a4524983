import { Writable } from 'node:stream';

/** Bytes of a new buffer: about what a hundred transactions take. */
const FIRST_SIZE = 256 * 1024;
/** Buffers are kept for later answers up to this size in bytes, and so many of them. */
const LARGEST_KEPT = 1024 * 1024;
const MOST_KEPT = 16;

const kept: Buffer[] = [];

/**
 * The body of an answer, collected in a buffer that served earlier answers. Buffers made for one answer each would count as
 * much as all that is kept, and the collector would go through it several times as often.
 */
export class CollectedBody extends Writable {
  #buffer = kept.pop() ?? Buffer.allocUnsafeSlow(FIRST_SIZE);
  #length = 0;

  constructor() {
    // What arrives is copied at once: there is never reason to wait.
    super({ highWaterMark: Number.MAX_SAFE_INTEGER });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length);
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
    done();
  }

  /** What has arrived; another answer's once it was released. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Lets other answers have the buffer. Where it is forgotten, the buffer is garbage as any other. */
  release(): void {
    const buffer = this.#buffer;
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
    if (buffer.length > 0 && buffer.length <= LARGEST_KEPT && kept.length < MOST_KEPT) kept.push(buffer);
  }
}
