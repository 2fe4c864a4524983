import { loanDocument } from '../../../data/contract/admin-files.ts';
import type { Logger } from '../../../data/runtime/log.ts';
import type { AppStore } from '../../../data/store/ports.ts';
import type { MasterKey } from '../../documents/master-key.ts';
import { DamagedDocumentError, OtherMasterKeyError, openDocument } from '../../documents/sealed-document.ts';
import type { ApiRoute } from '../../known-calls.ts';
import { readQuery } from '../../query.ts';
import { limitCalls } from '../../security/rate-limit.ts';
import { adminRecord } from '../admin-audit.ts';
import { adminRoute } from '../admin-route.ts';
import type { AdmitAdmin } from '../signed-in-admin.ts';
import { DocumentUnreadableError, UnknownDocumentError } from './record-errors.ts';

const DOCUMENTS_PER_MINUTE = 60;

/** What browsers may show of what people send; anything else is a file to be saved. */
const SHOWN: ReadonlySet<string> = new Set(['application/pdf', 'image/jpeg', 'image/png']);

/** A header that names a file of any script (RFC 6266, RFC 8187). */
function disposition(kind: 'inline' | 'attachment', fileName: string): string {
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename*=UTF-8''${encoded}`;
}

/**
 * `GET /api/admin/loan-documents`: one document, decrypted for this answer alone. It stands in the audit trail before
 * any of it goes out, and runs nothing wherever it is shown.
 */
export function documentRoute(options: {
  readonly store: Pick<AppStore, 'loans' | 'recordAudit'>;
  readonly masterKey: MasterKey;
  readonly admit: AdmitAdmin;
  readonly now: () => number;
  readonly log: Logger;
  readonly perMinute?: number | undefined;
}): ApiRoute {
  const { store, masterKey, admit, now, log, perMinute } = options;
  return adminRoute(
    loanDocument,
    admit,
    async (admin, request, response) => {
      const { id, as = 'view' } = readQuery(loanDocument.query, request.query);
      const sealed = await store.loans.readDocument(id);
      if (!sealed) throw new UnknownDocumentError();
      let clear: Buffer;
      try {
        clear = openDocument(masterKey, id, sealed);
      } catch (error) {
        if (!(error instanceof OtherMasterKeyError || error instanceof DamagedDocumentError)) throw error;
        log.error({ err: error }, 'a document cannot be decrypted');
        throw new DocumentUnreadableError({ cause: error });
      }
      const { referenceNumber, kind, mediaType, fileName } = sealed;
      const details = { referenceNumber, document: id, kind, as };
      await store.recordAudit(adminRecord(admin, { action: 'loan-document.viewed', at: now(), details }));
      const isShown = as === 'view' && SHOWN.has(mediaType);
      response.set({
        'Content-Type': SHOWN.has(mediaType) ? mediaType : 'application/octet-stream',
        'Content-Disposition': disposition(isShown ? 'inline' : 'attachment', fileName),
        'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
        'Content-Length': String(clear.length),
      });
      response.end(clear);
    },
    limitCalls(perMinute ?? DOCUMENTS_PER_MINUTE, 'admin-documents'),
  );
}
