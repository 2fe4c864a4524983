import { LOAN_NOTE_PATH_PATTERN, loanNoteDocument } from '../../data/contract/loan-note-document.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { matchesTag } from '../etag.ts';
import { linkOrigin } from '../pages/serve-pages.ts';
import type { PortalContext } from '../portal-context.ts';

/**
 * `GET /api/pdf/loan-note`: serves the PDF that the build made. Its file name contains a date, but this path stays the same.
 * @throws {ApiError} `document-not-built`
 */
export function loanNoteRoute({
  site,
  publicOrigin,
}: Pick<PortalContext, 'site' | 'publicOrigin'>): ApiRoute {
  const [loanNoteFile] = [...site.byPath].flatMap(([path, file]) => {
    const name = LOAN_NOTE_PATH_PATTERN.exec(path)?.[1];
    return name === undefined ? [] : [{ name, ...file }];
  });
  return callRoute(loanNoteDocument, {}, async (request, response) => {
    if (!loanNoteFile) throw new ApiError('document-not-built');
    const { name, contentType, variantsAt } = loanNoteFile;
    const { plain } = await variantsAt(linkOrigin(publicOrigin, request));
    // Caches must revalidate the file, because a new build can change it at the same path.
    const headers = ['Cache-Control', 'no-cache', 'ETag', plain.etag];
    if (matchesTag(request.headers['if-none-match'], plain.etag)) {
      response.writeHead(304, headers).end();
      return;
    }
    headers.push('Content-Type', contentType, 'Content-Length', String(plain.bytes.length));
    headers.push('Content-Disposition', `attachment; filename="${name}"`);
    response.writeHead(200, headers);
    response.end(plain.bytes);
  });
}
