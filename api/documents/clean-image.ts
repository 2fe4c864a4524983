/** Checked before an image is decoded. Phone photos have 12 to 50 million pixels. */
const MAX_PIXELS = 50_000_000;
const JPEG_QUALITY = 88;
const TIMEOUT_SECONDS = 20;

type CleanedImage =
  | { readonly kind: 'cleaned'; readonly bytes: Buffer }
  | { readonly kind: 'too-detailed' | 'damaged' };

/** Loads the library when the first image arrives. Loading it earlier would slow down the portal's start by 10%. */
async function loadSharp() {
  const { default: sharp } = await import('sharp');
  // No image is decoded twice, so a cache would only waste memory.
  sharp.cache(false);
  return sharp;
}

let queue: Promise<unknown> = Promise.resolve();

/** Images are decoded one at a time, to limit memory. */
function runInTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = queue.then(work);
  queue = result.catch(() => {});
  return result;
}

export type ImageType = 'image/jpeg' | 'image/png' | 'image/webp';

/** Turns an image upright and re-encodes it, so that only its pixels remain. A WebP becomes a JPEG with a white background. */
export async function cleanImage(bytes: Buffer, type: ImageType): Promise<CleanedImage> {
  const format = type.replace('image/', '');
  const sharp = await loadSharp();
  const options = { failOn: 'error', limitInputPixels: false, sequentialRead: false } as const;
  try {
    const { width = 0, height = 0, format: detectedFormat } = await sharp(bytes, options).metadata();
    if (detectedFormat !== format) return { kind: 'damaged' };
    if (width * height > MAX_PIXELS) return { kind: 'too-detailed' };
    const cleaned = await runInTurn(() => {
      const image = sharp(bytes, { ...options, limitInputPixels: MAX_PIXELS })
        .rotate()
        .timeout({ seconds: TIMEOUT_SECONDS });
      if (type === 'image/png') return image.png().toBuffer();
      return image.flatten({ background: '#ffffff' }).jpeg({ quality: JPEG_QUALITY }).toBuffer();
    });
    return { kind: 'cleaned', bytes: cleaned };
  } catch {
    return { kind: 'damaged' };
  }
}
