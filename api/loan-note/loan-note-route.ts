import { LOAN_NOTE_FILE, loanNoteDocument } from '../../data/contract/loan-note-document.ts';
import { namesTag } from '../etag.ts';
import type { ApiRoute } from '../known-calls.ts';
import type { SiteFiles } from '../pages/site-files.ts';
import { DocumentNotBuiltError } from './loan-note-errors.ts';

/**
 * `GET /api/pdf/loan-note`: the document that the build made, under an address that stays while its name is dated.
 * @throws {DocumentNotBuiltError}
 */
export function loanNoteRoute(site: SiteFiles): ApiRoute {
  const [found] = [...site.byPath].flatMap(([path, file]) => {
    const name = LOAN_NOTE_FILE.exec(path)?.[1];
    return name === undefined ? [] : [{ name, ...file }];
  });
  return {
    method: loanNoteDocument.method,
    path: loanNoteDocument.path,
    handle: (request, response) => {
      if (!found) throw new DocumentNotBuiltError();
      const { name, contentType, plain } = found;
      // It changes with a build, under the same address.
      const headers = ['Cache-Control', 'no-cache', 'ETag', plain.etag];
      const ifNoneMatch = request.headers['if-none-match'];
      if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, plain.etag)) {
        response.writeHead(304, headers).end();
        return;
      }
      headers.push('Content-Type', contentType, 'Content-Length', String(plain.bytes.length));
      headers.push('Content-Disposition', `attachment; filename="${name}"`);
      response.writeHead(200, headers);
      // Node itself keeps the body from an answer to HEAD.
      response.end(plain.bytes);
    },
  };
}
