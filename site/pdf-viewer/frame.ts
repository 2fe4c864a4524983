import { getDocument, PDFWorker, type RenderTask, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** A request from the admin page to the frame, after the admin page has sent the PDF. */
export interface ShowPageRequest {
  /** Starts at 1. */
  readonly page: number;
  /** 1 fits the page to the width of the frame. */
  readonly zoom: number;
}

export type FrameMessage =
  | { readonly kind: 'opened'; readonly pages: number }
  | { readonly kind: 'shown'; readonly page: number }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'failed' };

/** Keys that the admin page handles. Other keys, such as the up and down arrow keys, scroll the page of the PDF. */
const KEYS = /^(?:Escape|Arrow(?:Left|Right)|Page(?:Up|Down)|Home|End|[+=-])$/;
const MARGIN = 8;
/** Limits, in pixels, for extremely large pages and images. */
const MAX_PIXELS = 16_000_000;
const MAX_SIDE = 8_192;
const MAX_IMAGE_PIXELS = 64_000_000;
const MAX_SCALE = 8;

/** Parts of the viewer are embedded in this page, as the text content of elements. */
const embeddedText = (id: string) => document.getElementById(id)?.textContent ?? '';

/** Gives pdf.js the decoders that are embedded in this page, because the page is not allowed to make requests. */
class EmbeddedFiles {
  readonly fetch = async ({ filename }: { readonly filename: string }): Promise<Uint8Array> => {
    const base64 = embeddedText(filename);
    if (base64 === '') throw new Error(`The viewer does not contain ${filename}.`);
    return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  };
}

async function openPdf(data: ArrayBuffer, port: MessagePort): Promise<void> {
  const postAnswer = (message: FrameMessage) => port.postMessage(message);
  const workerUrl = URL.createObjectURL(new Blob([embeddedText('worker')], { type: 'text/javascript' }));
  const worker = new Worker(workerUrl);
  worker.onerror = () => postAnswer({ kind: 'failed' });
  const pdf = await getDocument({
    data: new Uint8Array(data),
    worker: PDFWorker.create({ port: worker }),
    BinaryDataFactory: EmbeddedFiles,
    wasmUrl: '/',
    useWorkerFetch: false,
    enableXfa: false,
    maxImageSize: MAX_IMAGE_PIXELS,
    canvasMaxAreaInBytes: 4 * MAX_PIXELS,
    verbosity: VerbosityLevel.ERRORS,
  }).promise;
  let latestRequest: ShowPageRequest | null = null;
  let rendering: RenderTask | null = null;
  const show = async (request: ShowPageRequest) => {
    latestRequest = request;
    rendering?.cancel();
    const page = await pdf.getPage(request.page);
    const natural = page.getViewport({ scale: 1 });
    const fit = (document.documentElement.clientWidth - 2 * MARGIN) / natural.width;
    const viewport = page.getViewport({ scale: Math.min(fit * request.zoom, MAX_SCALE) });
    const { width, height } = viewport;
    const density = Math.min(
      devicePixelRatio,
      Math.sqrt(MAX_PIXELS / (width * height)),
      MAX_SIDE / Math.max(width, height),
    );
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.floor(width * density));
    canvas.height = Math.max(1, Math.floor(height * density));
    canvas.style.width = `${width}px`;
    if (latestRequest !== request) return;
    const task = page.render({ canvas, viewport: page.getViewport({ scale: viewport.scale * density }) });
    rendering = task;
    await task.promise;
    const { items } = await page.getTextContent();
    if (latestRequest !== request) return;
    // Screen readers read the text inside a canvas element.
    canvas.textContent = items.map((item) => ('str' in item ? item.str : '')).join(' ');
    document.querySelector('main')?.replaceChildren(canvas);
    scrollTo(0, 0);
    postAnswer({ kind: 'shown', page: request.page });
  };
  const showOrFail = (request: ShowPageRequest) =>
    show(request).catch(() => {
      // If a newer request has cancelled this rendering, the error is not a failure.
      if (latestRequest === request) postAnswer({ kind: 'failed' });
    });
  port.onmessage = ({ data: request }: MessageEvent<ShowPageRequest>) => void showOrFail(request);
  addEventListener('resize', () => {
    if (latestRequest !== null) void showOrFail({ ...latestRequest });
  });
  postAnswer({ kind: 'opened', pages: pdf.numPages });
}

addEventListener('message', ({ source, data, ports: [port] }: MessageEvent<ArrayBuffer>) => {
  if (source !== parent || port === undefined) return;
  const forward = (event: KeyboardEvent) => {
    const { key, type } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS.test(key)) return;
    event.preventDefault();
    // On Escape, the admin page removes this frame. So Escape is forwarded only on keyup, after the key press has ended here.
    if ((key === 'Escape') === (type === 'keyup')) {
      port.postMessage({ kind: 'key', key } satisfies FrameMessage);
    }
  };
  addEventListener('keydown', forward);
  addEventListener('keyup', forward);
  openPdf(data, port).catch(() => port.postMessage({ kind: 'failed' } satisfies FrameMessage));
});
