import { TooManyUploadsError, UploadsFullError } from './upload-errors.ts';

export interface UploadLimits {
  /** Bytes of all uploads under way that are held at once. */
  readonly bytes: number;
  /** Uploads of one address at once. */
  readonly perAddress: number;
}

/** Six forms with two documents of the largest size each, and many of the usual size. */
const LIMITS: UploadLimits = { bytes: 128_000_000, perAddress: 3 };

/** The place of one upload in the room. */
export interface UploadPlace {
  /** @throws {UploadsFullError} where so many more bytes have no room */
  hold(bytes: number): void;
  leave(): void;
}

/** The memory that uploads under way may take, all together, however many people send at once. */
export class UploadRoom {
  readonly #limits: UploadLimits;
  readonly #places = new Map<string, number>();
  #held = 0;

  constructor(limits: Partial<UploadLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** @throws {TooManyUploadsError} where an address has as many uploads under way as it may */
  enter(address: string): UploadPlace {
    const present = this.#places.get(address) ?? 0;
    if (present >= this.#limits.perAddress) throw new TooManyUploadsError();
    this.#places.set(address, present + 1);
    let own = 0;
    return {
      hold: (bytes) => {
        if (this.#held + bytes > this.#limits.bytes) throw new UploadsFullError();
        this.#held += bytes;
        own += bytes;
      },
      leave: () => {
        this.#held -= own;
        own = 0;
        const others = (this.#places.get(address) ?? 1) - 1;
        if (others > 0) this.#places.set(address, others);
        else this.#places.delete(address);
      },
    };
  }
}
