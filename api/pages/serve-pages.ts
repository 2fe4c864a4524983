import type { RequestHandler } from 'express';
import { MalformedPathError, MethodNotAllowedError } from '../errors.ts';
import { namesTag } from '../etag.ts';
import { acceptedEncodings, type Encoding } from './accept-encoding.ts';
import type { FileForm, SiteFile, SiteFiles } from './site-files.ts';

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    throw new MalformedPathError({ cause: error });
  }
}

function chooseForm(file: SiteFile, acceptEncoding: string | undefined): [FileForm, Encoding | null] {
  for (const encoding of acceptedEncodings(acceptEncoding)) {
    const form = file.encoded.get(encoding);
    if (form) return [form, encoding];
  }
  return [file.plain, null];
}

/**
 * Serves the built site to GET and HEAD: compressed where the client takes it, revalidated by ETag. Every other path is
 * the not-found page with 404. @throws {MalformedPathError} {MethodNotAllowedError}
 */
export function servePages(site: SiteFiles): RequestHandler {
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new MethodNotAllowedError(['GET', 'HEAD']);
    const found = site.byPath.get(decodePath(request.path));
    const file = found ?? site.notFound;
    if (!file) {
      response.writeHead(404, ['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', 'no-cache']);
      response.end('Page not found.\n');
      return;
    }
    const [form, encoding] = chooseForm(file, request.headers['accept-encoding']);
    const headers = ['Cache-Control', file.cacheControl, 'ETag', form.etag];
    if (file.encoded.size > 0) headers.push('Vary', 'Accept-Encoding');
    const ifNoneMatch = request.headers['if-none-match'];
    if (found && ifNoneMatch !== undefined && namesTag(ifNoneMatch, form.etag)) {
      response.writeHead(304, headers).end();
      return;
    }
    headers.push('Content-Type', file.contentType, 'Content-Length', String(form.bytes.length));
    if (encoding) headers.push('Content-Encoding', encoding);
    response.writeHead(found ? 200 : 404, headers);
    // Node itself keeps the body from an answer to HEAD.
    response.end(form.bytes);
  };
}
