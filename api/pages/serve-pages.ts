import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, RequestHandler } from 'express';
import { ORIGIN_PLACEHOLDER } from '../../data/contract/origin-placeholder.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { ApiError } from '../errors.ts';
import { matchesTag, strongTag } from '../etag.ts';
import { fillPdfOrigin, fillTextOrigin } from './fill-origin.ts';

const compressGzip = promisify(gzip);

/** Encodings that the build writes, best compression first, with their file extensions and compressors. */
const ENCODINGS = [
  ['br', '.br', promisify(brotliCompress)],
  ['gzip', '.gz', (bytes: Buffer) => compressGzip(bytes, { level: constants.Z_BEST_COMPRESSION })],
] as const;

const TEXT = /\.(?:html?|css|m?js|json|svg|xml|txt|webmanifest)$/;
/** Below this size, compression does not save a network packet. */
const MIN_BYTES = 512;

export const isServedCompressed = (path: string, bytes: Buffer): boolean =>
  TEXT.test(path) && bytes.length >= MIN_BYTES;

interface FileVariant {
  readonly bytes: Buffer;
  readonly etag: string;
}

interface FileVariants {
  readonly plain: FileVariant;
  /** By encoding. A variant that depends on the origin is compressed when it is first requested. */
  readonly encoded: ReadonlyMap<string, () => FileVariant | Promise<FileVariant>>;
}

interface SiteFile {
  readonly contentType: string;
  readonly cacheControl: string;
  /** The file, plain and compressed, with its links to the portal pointing to this origin. */
  readonly variantsAt: (origin: string) => FileVariants;
}

/**
 * The built site in memory. It is read only once, so pages and script hashes always belong to the same build, even while a new
 * build is being written. Request paths are never used to open files. docs/decisions/site-from-memory.md compares this with
 * express.static and sirv.
 */
export interface SiteFiles {
  /** By URL path. Each page is listed both with and without a trailing slash. */
  readonly byPath: ReadonlyMap<string, SiteFile>;
  readonly notFound: SiteFile | null;
  /** The HTML of every page. */
  readonly pages: readonly string[];
  /** The HTML of the frame that shows PDFs; empty if the site has no such frame. */
  readonly pdfViewer: string;
}

/** A site without pages, for tests of the API and for development, where Astro's server serves the pages. */
export const NO_SITE: SiteFiles = { byPath: new Map(), notFound: null, pages: [], pdfViewer: '' };

/** Files with a content hash in their name: assets and parts of the search index. */
const HASHED_PATH = /^\/(?:_astro|pagefind\/(?:fragment|index|filter))\//;
/** Pages, the service worker, and the entry files of the search index. */
const REVALIDATED_PATH = /(?:\.html?|^\/sw\.js|^\/section-index\.json|^\/pagefind\/[^/]+)$/;

export function cacheControl(path: string): string {
  if (HASHED_PATH.test(path)) return 'public, max-age=31536000, immutable';
  return REVALIDATED_PATH.test(path) ? 'no-cache' : 'public, max-age=3600';
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  // Type declarations, as plain text so that a browser shows them.
  '.ts': 'text/plain; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml; charset=utf-8',
};

function contentType(path: string): string {
  return CONTENT_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
}

function fileVariant(bytes: Buffer): FileVariant {
  return { bytes, etag: strongTag(bytes) };
}

function fillFile(path: string, bytes: Buffer, origin: string): FileVariants {
  const filled = path.endsWith('.pdf') ? fillPdfOrigin(bytes, origin) : fillTextOrigin(bytes, origin);
  const encoded = ENCODINGS.filter(() => isServedCompressed(path, bytes)).map(([encoding, , compress]) => {
    let variant: Promise<FileVariant> | null = null;
    const compressOnce = () => {
      variant ??= compress(filled).then(fileVariant);
      return variant;
    };
    return [encoding, compressOnce] as const;
  });
  return { plain: fileVariant(filled), encoded: new Map(encoded) };
}

/**
 * Fills in the origin when the file is first requested, and makes each compressed variant when its encoding is first requested.
 * Compressing all pages at startup would take seconds.
 */
function fillOnRequest(path: string, bytes: Buffer): SiteFile['variantsAt'] {
  let lastFilled: { readonly origin: string; readonly variants: FileVariants } | null = null;
  return (origin) => {
    if (lastFilled?.origin !== origin) lastFilled = { origin, variants: fillFile(path, bytes, origin) };
    return lastFilled.variants;
  };
}

/** `staking/index.html` and `staking.html` are both the page `/staking`. */
function urlPaths(path: string): readonly string[] {
  if (!path.endsWith('.html')) return [path];
  const page = path.slice(0, -'.html'.length);
  const folder = page.endsWith('/index') ? page.slice(0, -'/index'.length) : page;
  return folder === '' ? ['/', path] : [folder, `${folder}/`, path];
}

/** Skips internal files: their names begin with a dot. */
async function readTree(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return new Map(
    await Promise.all(
      files.map(
        async (file) => [`/${file.replaceAll(sep, '/')}`, await readFile(join(folder, file))] as const,
      ),
    ),
  );
}

/** @throws {StartError} with code 75 if the folder does not contain a built site */
export async function readSiteFiles(folder: string): Promise<SiteFiles> {
  const notBuiltError = (why: string, options?: ErrorOptions) => {
    const message = `The site is not built: ${folder} ${why}. Run npm start, which builds it.`;
    return new StartError(message, EXIT.tryAgain, options);
  };
  const tree = await readTree(folder).catch((cause: unknown) => {
    throw notBuiltError('cannot be read', { cause });
  });
  if (!tree.has('/index.html')) throw notBuiltError('has no index.html');
  const byPath = new Map<string, SiteFile>();
  const pages: string[] = [];
  let notFound: SiteFile | null = null;
  for (const [path, bytes] of tree) {
    const isEncoded = (ending: string) => path.endsWith(ending) && tree.has(path.slice(0, -ending.length));
    if (ENCODINGS.some(([, ending]) => isEncoded(ending))) continue;
    const encoded = new Map<string, () => FileVariant>();
    for (const [encoding, ending] of ENCODINGS) {
      const compressedBytes = tree.get(path + ending);
      if (!compressedBytes) continue;
      const variant = fileVariant(compressedBytes);
      encoded.set(encoding, () => variant);
    }
    const variants = { plain: fileVariant(bytes), encoded };
    const file: SiteFile = {
      contentType: contentType(path),
      cacheControl: cacheControl(path),
      variantsAt: bytes.includes(ORIGIN_PLACEHOLDER) ? fillOnRequest(path, bytes) : () => variants,
    };
    if (path.endsWith('.html')) pages.push(bytes.toString('utf8'));
    if (path === '/404.html') notFound = file;
    else for (const url of urlPaths(path)) byPath.set(url, file);
  }
  return { byPath, notFound, pages, pdfViewer: tree.get(PATHS.pdfViewer)?.toString('utf8') ?? '' };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    throw new ApiError('malformed-path', { cause: error });
  }
}

/** The portal's origin in links for search engines, feeds and documents: the configured one, or `localhost` with its port. */
export function linkOrigin(publicOrigin: string | null, { socket }: Pick<Request, 'socket'>): string {
  return publicOrigin ?? `http://localhost:${socket.localPort}`;
}

/**
 * Serves the built site to GET and HEAD requests, compressed if the client accepts it and revalidated by ETag. A path without
 * a file gets the not-found page with status 404.
 * @throws {ApiError} `malformed-path`, `method-not-allowed`
 */
export function servePages(site: SiteFiles, publicOrigin: string | null): RequestHandler {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new ApiError('method-not-allowed', { allowed: 'GET, HEAD' });
    const siteFile = site.byPath.get(decodePath(request.path));
    const file = siteFile ?? site.notFound;
    if (!file) {
      response.writeHead(404, ['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', 'no-cache']);
      response.end('Page not found.\n');
      return;
    }
    const { plain, encoded } = file.variantsAt(linkOrigin(publicOrigin, request));
    // Asks Express about one encoding at a time. Given both, Express would pick the one that the client lists first, and
    // browsers list gzip first.
    const [encoding, readCompressed] = [...encoded].find(([name]) => request.acceptsEncodings(name)) ?? [
      null,
    ];
    const variant = readCompressed ? await readCompressed() : plain;
    const headers = ['Cache-Control', file.cacheControl, 'ETag', variant.etag];
    if (encoded.size > 0) headers.push('Vary', 'Accept-Encoding');
    if (siteFile && matchesTag(request.headers['if-none-match'], variant.etag)) {
      response.writeHead(304, headers).end();
      return;
    }
    headers.push('Content-Type', file.contentType, 'Content-Length', String(variant.bytes.length));
    if (encoding !== null) headers.push('Content-Encoding', encoding);
    response.writeHead(siteFile ? 200 : 404, headers);
    response.end(variant.bytes);
  };
}

/** Matches the `type` of each script that a Content-Security-Policy applies to. */
const EXECUTED_TYPES = /^(|module|(text|application)\/javascript|importmap|speculationrules)$/;

const SCRIPT = /<script\b((?:"[^"]*"|'[^']*'|[^'">])*)>([\s\S]*?)<\/script\b[^>]*>/gi;
const TYPE = /(?:^|\s)type\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
const SOURCE = /(?:^|\s)src\s*=/i;

export function inlineScripts(html: string): readonly string[] {
  const scripts: string[] = [];
  // A browser normalizes line breaks before it hashes a script.
  const text = html.replace(/\r\n?/g, '\n');
  for (const [, attributes = '', content = ''] of text.matchAll(SCRIPT)) {
    const [, double, single, bare] = TYPE.exec(attributes) ?? [];
    const type = (double ?? single ?? bare ?? '').trim().toLowerCase();
    if (!SOURCE.test(attributes) && EXECUTED_TYPES.test(type) && content !== '') scripts.push(content);
  }
  return scripts;
}

/** A script's hash as a CSP source: `'sha256-…'`. */
export function scriptHash(content: string): string {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}

export function inlineScriptHashes(pages: readonly string[]): readonly string[] {
  return [...new Set(pages.flatMap(inlineScripts).map(scriptHash))].sort();
}
