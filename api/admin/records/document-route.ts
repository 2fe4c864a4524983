import type { Response } from 'express';
import { conversationFile } from '../../../data/contract/admin-conversation.ts';
import { loanDocument } from '../../../data/contract/admin-files.ts';
import type { AuditRecord } from '../../../data/store/audit-port.ts';
import type { ApiRoute } from '../../call-router.ts';
import {
  DamagedDocumentError,
  OtherMasterKeyError,
  openDocument,
  type SealedDocument,
} from '../../documents/sealed-document.ts';
import { ApiError } from '../../errors.ts';
import type { PortalContext } from '../../portal-context.ts';
import { readQuery } from '../../request-input.ts';
import { adminAuditRecord } from '../admin-audit.ts';
import { adminRoute, type SignedInAdmin } from '../authorize-admin.ts';

/** The media types that a browser may display, each with the `Content-Type` to send. Other types are downloaded. */
const VIEWABLE: ReadonlyMap<string, string> = new Map([
  ...['application/pdf', 'image/jpeg', 'image/png'].map((type) => [type, type] as const),
  ['text/plain', 'text/plain; charset=utf-8'],
]);

/** A `Content-Disposition` value for a file name in any script (RFC 6266, RFC 8187). */
function disposition(kind: 'inline' | 'attachment', fileName: string): string {
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename*=UTF-8''${encoded}`;
}

interface FileRequest {
  readonly id: string;
  readonly mode: 'view' | 'file';
  /** Null if there is no such file. */
  readonly file: (SealedDocument & { readonly fileName: string; readonly mediaType: string }) | null;
  readonly audit: Pick<AuditRecord, 'action' | 'details'>;
}

/**
 * Sends one file, decrypted in memory. The audit trail records the view before the first byte is sent. The
 * sandbox policy keeps scripts in the file from running.
 */
async function sendFile(
  { id, mode, file, audit }: FileRequest,
  admin: SignedInAdmin,
  response: Response,
  { store, masterKey, now, log }: PortalContext,
): Promise<void> {
  if (!file) throw new ApiError('unknown-document');
  let plaintext: Buffer;
  try {
    plaintext = openDocument(masterKey, id, file);
  } catch (error) {
    if (!(error instanceof OtherMasterKeyError || error instanceof DamagedDocumentError)) throw error;
    log.error({ err: error }, 'a document cannot be decrypted');
    throw new ApiError('document-unreadable', { cause: error });
  }
  await store.recordAudit(adminAuditRecord(admin, { ...audit, at: now() }));
  const type = VIEWABLE.get(file.mediaType);
  response.set({
    'Content-Type': type ?? 'application/octet-stream',
    'Content-Disposition': disposition(mode === 'view' && type ? 'inline' : 'attachment', file.fileName),
    'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'Content-Length': String(plaintext.length),
  });
  response.end(plaintext);
}

function fileRoute(
  call: typeof loanDocument | typeof conversationFile,
  context: PortalContext,
  read: (id: string, mode: FileRequest['mode']) => Promise<Pick<FileRequest, 'file' | 'audit'>>,
): ApiRoute {
  const options = { authorize: context.authorize, limit: 'admin-documents' } as const;
  return adminRoute(call, options, async (admin, request, response) => {
    const { id, as: mode = 'view' } = readQuery(call.query, request.query);
    await sendFile({ id, mode, ...(await read(id, mode)) }, admin, response, context);
  });
}

export const documentRoute = (context: PortalContext): ApiRoute =>
  fileRoute(loanDocument, context, async (id, as) => {
    const file = await context.store.submissions.readDocument(id);
    const [referenceNumber, kind] = [file?.referenceNumber ?? null, file?.kind ?? null];
    return {
      file,
      audit: { action: 'loan-document.viewed', details: { referenceNumber, document: id, kind, as } },
    };
  });

export const conversationFileRoute = (context: PortalContext): ApiRoute =>
  fileRoute(conversationFile, context, async (id, as) => {
    const file = await context.store.conversations.readFile(id);
    const referenceNumber = file?.referenceNumber ?? null;
    return { file, audit: { action: 'message-file.viewed', details: { referenceNumber, file: id, as } } };
  });
