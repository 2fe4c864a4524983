import { loanDocument } from '../../../data/contract/admin-files.ts';
import { DamagedDocumentError, OtherMasterKeyError, openDocument } from '../../documents/sealed-document.ts';
import { ApiError } from '../../errors.ts';
import type { ApiRoute } from '../../known-calls.ts';
import type { PortalContext } from '../../portal-context.ts';
import { readQuery } from '../../request-input.ts';
import { adminRecord } from '../admin-audit.ts';
import { adminRoute } from '../admit-admin.ts';

/** Types that a browser may show. Other types are downloaded. */
const VIEWABLE: ReadonlySet<string> = new Set(['application/pdf', 'image/jpeg', 'image/png']);

/** A `Content-Disposition` value for a file name in any script (RFC 6266, RFC 8187). */
function disposition(kind: 'inline' | 'attachment', fileName: string): string {
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename*=UTF-8''${encoded}`;
}

/**
 * `GET /api/admin/loan-documents`: one document, decrypted in memory. The audit trail records the view before the first
 * byte is sent. The sandbox policy prevents scripts in the document.
 */
export function documentRoute({ store, masterKey, admit, now, log }: PortalContext): ApiRoute {
  return adminRoute(loanDocument, { admit, limit: 'admin-documents' }, async (admin, request, response) => {
    const { id, as = 'view' } = readQuery(loanDocument.query, request.query);
    const sealed = await store.submissions.readDocument(id);
    if (!sealed) throw new ApiError('unknown-document');
    let clear: Buffer;
    try {
      clear = openDocument(masterKey, id, sealed);
    } catch (error) {
      if (!(error instanceof OtherMasterKeyError || error instanceof DamagedDocumentError)) throw error;
      log.error({ err: error }, 'a document cannot be decrypted');
      throw new ApiError('document-unreadable', { cause: error });
    }
    const { referenceNumber, kind, mediaType, fileName } = sealed;
    const details = { referenceNumber, document: id, kind, as };
    await store.recordAudit(adminRecord(admin, { action: 'loan-document.viewed', at: now(), details }));
    const isShown = as === 'view' && VIEWABLE.has(mediaType);
    response.set({
      'Content-Type': VIEWABLE.has(mediaType) ? mediaType : 'application/octet-stream',
      'Content-Disposition': disposition(isShown ? 'inline' : 'attachment', fileName),
      'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'Content-Length': String(clear.length),
    });
    response.end(clear);
  });
}
