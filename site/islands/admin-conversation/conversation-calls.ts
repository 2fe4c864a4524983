import { queryOptions } from '@tanstack/react-query';
import type {
  adminConversation,
  attachFile,
  previewReply,
} from '../../../data/contract/admin-conversation.ts';
import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { SubmissionKind } from '../../../data/model/submission-status.ts';
import { RequestError } from '../../data/request.ts';
import { sendFiles } from '../../data/upload-form.ts';
import { adminQuery } from '../admin/admin-calls.ts';
import { adminFetch, asAdmin } from '../admin/admin-session.ts';

export type StoredConversation = ResponseOf<typeof adminConversation>;
export type ConversationMessage = StoredConversation['messages'][number];
export type ReplyPreview = ResponseOf<typeof previewReply>;
export type AttachedFile = ResponseOf<typeof attachFile>['file'];

export interface ReplyTemplate {
  readonly id: string;
  readonly title: string;
  /** Whether the record waits for an answer after the template is sent. */
  readonly asks: boolean;
  /** The kinds of records that the template is offered for; null for all. */
  readonly kinds: readonly SubmissionKind[] | null;
  readonly subject: string;
  readonly text: string;
}

const POLL_INTERVAL_MS = 10_000;

export const conversationQuery = (reference: string) =>
  queryOptions({
    ...adminQuery<typeof adminConversation>(`${PATHS.adminConversation}?reference=${reference}`),
    refetchInterval: POLL_INTERVAL_MS,
    refetchOnWindowFocus: true,
  });

/** The build writes the templates to a file, so they change only with a new build. */
export const templatesQuery = () =>
  queryOptions<readonly ReplyTemplate[]>({
    queryKey: ['reply-templates'],
    queryFn: async ({ signal }) => {
      const response = await fetch('/admin/reply-templates.json', { signal });
      if (!response.ok) throw new Error(`The templates cannot be read: ${response.status}.`);
      return response.json();
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The request is a POST, to keep the text out of the URL. @throws {RequestError} */
export async function readPreview(payload: BodyOf<typeof previewReply>): Promise<ReplyPreview> {
  return (await adminFetch('POST', PATHS.previewReply, { payload })).json();
}

interface UploadOptions {
  /** Called with the fraction sent so far, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

/** @throws {RequestError} @throws {TypeError} if no response arrives */
export function uploadFile(
  referenceNumber: string,
  file: File,
  options: UploadOptions,
): Promise<AttachedFile> {
  const form = new FormData();
  form.append('referenceNumber', referenceNumber);
  form.append('file', file);
  return asAdmin(async (headers) => {
    const response = await sendFiles(PATHS.attachFile, form, { ...options, headers });
    if (response === null) throw new TypeError('No response arrived.');
    if (response.status !== 200) throw new RequestError(response.status, '', response.body);
    const { file: attachedFile }: ResponseOf<typeof attachFile> = JSON.parse(response.body);
    return attachedFile;
  });
}

/** Deletes an uploaded file that was not sent. If that fails, the portal deletes the file after a day. */
export function removeFile(id: string): void {
  adminFetch('POST', PATHS.detachFile, { payload: { id } }).catch((error: unknown) =>
    console.error('The file could not be removed.', error),
  );
}
