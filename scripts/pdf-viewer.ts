import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import * as PATHS from '../data/contract/paths.ts';

const PDFJS = 'node_modules/pdfjs-dist';
/** Decoders for the image formats that scanners produce. */
const DECODERS = ['jbig2.wasm', 'openjpeg.wasm'];

const STYLE =
  'body{margin:8px;background:#8883}canvas{display:block;margin:0 auto;background:#fff;box-shadow:0 1px 4px #0006}';

/** A data block, which a browser does not run. */
const dataBlock = (id: string, text: string) => `<script type="text/plain" id="${id}">${text}</script>`;

/**
 * Escapes code so that it can be the content of a `<script>` element. The code contains `</script` only in strings and regular
 * expressions, where an escape has the same meaning.
 */
const scriptContent = (code: string) => code.replaceAll(/<(?=\/script|!--)/gi, '\\x3c');

async function bundleCode(input: string): Promise<string> {
  const bundle = await rolldown({ input, logLevel: 'silent' });
  try {
    const { output } = await bundle.generate({ format: 'iife', minify: true, codeSplitting: false });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}

/**
 * The page in the frame that shows PDFs. It is a single file, because a frame without an origin cannot load the portal's other
 * files, and the page's policy allows only this one script.
 */
async function pdfViewerPage(): Promise<string> {
  const decoders = DECODERS.map(async (name) =>
    dataBlock(name, await readFile(join(PDFJS, 'wasm', name), 'base64')),
  );
  // A frame without an origin cannot start a module worker.
  const worker = await bundleCode(join(PDFJS, 'legacy/build/pdf.worker.mjs'));
  const blocks = [dataBlock('worker', scriptContent(worker)), ...(await Promise.all(decoders))];
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>PDF</title><style>${STYLE}</style><body><main></main>` +
    `${blocks.join('')}<script>${scriptContent(await bundleCode('site/pdf-viewer/frame.ts'))}</script></body></html>`
  );
}

/** Writes the PDF viewer's page. It is not one of the site's pages, so its file name does not end in `.html`. */
export async function writePdfViewer(output: string): Promise<void> {
  const file = join(output, PATHS.pdfViewer);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await pdfViewerPage());
}
