import sharp from 'sharp';

/** Pixels of an image at most, checked before any is unpacked: a phone's picture has 12 to 50 million. */
export const PIXELS_AT_MOST = 50_000_000;
const JPEG_QUALITY = 88;
/** Seconds after which an image is given up. */
const WITHIN_SECONDS = 20;

export type CleanedImage =
  | { readonly kind: 'cleaned'; readonly bytes: Buffer }
  | { readonly kind: 'too-detailed' | 'damaged' };

// Two documents an application: nothing comes again that a cache would help.
sharp.cache(false);

/** Images are unpacked one after the other, so that many at once take no more memory than one. */
let turn: Promise<unknown> = Promise.resolve();

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = turn.then(work);
  turn = done.catch(() => {});
  return done;
}

/**
 * The image made anew: turned as its orientation says, without metadata, and without anything that the file held beside
 * its pixels.
 */
export async function cleanImage(bytes: Buffer, type: 'image/jpeg' | 'image/png'): Promise<CleanedImage> {
  const format = type === 'image/jpeg' ? 'jpeg' : 'png';
  const options = { failOn: 'error', limitInputPixels: false, sequentialRead: false } as const;
  try {
    const { width = 0, height = 0, format: found } = await sharp(bytes, options).metadata();
    if (found !== format) return { kind: 'damaged' };
    if (width * height > PIXELS_AT_MOST) return { kind: 'too-detailed' };
    const made = await inTurn(() => {
      const image = sharp(bytes, { ...options, limitInputPixels: PIXELS_AT_MOST })
        .rotate()
        .timeout({ seconds: WITHIN_SECONDS });
      return format === 'jpeg' ? image.jpeg({ quality: JPEG_QUALITY }).toBuffer() : image.png().toBuffer();
    });
    return { kind: 'cleaned', bytes: made };
  } catch {
    return { kind: 'damaged' };
  }
}
