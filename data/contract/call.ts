import { z } from 'zod';
import { type AdminRole, isAdminRole } from '../model/admin-rules.ts';
import type { ErrorCode } from './errors.ts';
import { adminSetupState, isTeamPath } from './paths.ts';

export const errorBody = z.object({
  success: z.literal(false),
  error: z.string().describe('What went wrong and what to do.'),
  code: z.string().describe('The error code.'),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** One call of the API. The server's validation, the client's types and the OpenAPI document are derived from it. */
export interface Call<Response extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST';
  readonly path: `/api/${string}`;
  readonly summary: string;
  /** Without this schema, the call ignores the query string. */
  readonly query?: z.ZodObject;
  /** Without this schema, the call takes no body. */
  readonly body?: z.ZodType;
  /**
   * The descriptions of the file fields, by name. A call with files takes `multipart/form-data`, with the fields of `body` as
   * text parts.
   */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * Who may call; `anyone` by default. `wallet-owner`: a caller with the session of a proven wallet. `issuer`: the card issuer,
   * identified by its signature. `mail-server`: the server that forwards emails, identified by its signature. A role: an admin
   * with that role or a higher one.
   */
  readonly access?: 'anyone' | 'wallet-owner' | 'issuer' | 'mail-server' | AdminRole;
  /** The call uses the session of a wallet if there is one, and also works without one. */
  readonly usesWalletSession?: true;
  /** Pages from any origin, such as wallets and other sites, may make the call, but without cookies. */
  readonly allowsAnyOrigin?: true;
  readonly response: Response;
  /** Media type of the response; JSON by default. */
  readonly mediaType?: 'application/pdf' | 'application/octet-stream';
  /** Errors in addition to the ones that `errorsOf` derives from the other fields. */
  readonly errors?: readonly ErrorCode[];
  /**
   * Set if the response is served from the cached snapshot. `true`: the stream sends each new body. `announced`: the stream
   * only sends the path, because few pages need the body or because it grows with the number of stakers.
   */
  readonly live?: true | 'announced';
}

/** The body as the client sends it, before the schema cleans it. */
export type BodyOf<C extends { readonly body: z.ZodType }> = z.input<C['body']>;

export type ResponseOf<C extends Call> = z.infer<C['response']>;

const JSON_ERRORS: readonly ErrorCode[] = ['malformed-json', 'unsupported-body', 'body-too-large'];
const UPLOAD_ERRORS: readonly ErrorCode[] = [
  'not-multipart',
  'malformed-upload',
  'upload-too-large',
  'uploads-full',
  'too-many-uploads',
  'upload-too-slow',
  'document-quota',
  'documents-full',
  'documents-paused',
  'document-type',
  'document-encrypted',
  'document-active',
  'document-damaged',
  'document-too-detailed',
];

/**
 * Whether the call is a public read: pages from any origin may read the response, because it is the same for every
 * caller. The setup state is excluded, because programs on the server's own machine get a different response.
 */
export function isPublicRead({
  method,
  path,
  access = 'anyone',
  usesWalletSession,
  allowsAnyOrigin,
}: Call): boolean {
  const isRead = method === 'GET' && access === 'anyone' && !usesWalletSession && !allowsAnyOrigin;
  return isRead && path !== adminSetupState;
}

/** Whether the pages for visitors make this call. Other calls are for the team's pages and for programs. */
export function isVisitorCall({
  path,
  access = 'anyone',
  allowsAnyOrigin,
}: Pick<Call, 'path' | 'access' | 'allowsAnyOrigin'>): boolean {
  return (access === 'anyone' || access === 'wallet-owner') && !allowsAnyOrigin && !isTeamPath(path);
}

/** Every error that a call may return, except `internal` and errors of the HTTP server itself. */
export function errorsOf({ method, query, body, files, access, errors = [] }: Call): readonly ErrorCode[] {
  const codesIf = (condition: boolean, ...codes: readonly ErrorCode[]) => (condition ? codes : []);
  const isWrite = method === 'POST';
  return [
    ...codesIf(isWrite, 'cross-origin', 'malformed-request', ...(files ? UPLOAD_ERRORS : JSON_ERRORS)),
    ...codesIf(query !== undefined, 'invalid-query'),
    ...codesIf(body !== undefined, 'invalid-body'),
    ...codesIf(access === 'wallet-owner', 'wallet-not-proven'),
    ...codesIf(isAdminRole(access), 'not-signed-in', 'not-allowed'),
    'too-many-requests',
    ...errors,
  ];
}
