import { z } from 'zod';
import type { AdminRole } from '../model/admin-roles.ts';

/** The body of every answer that is not a success. */
export const errorBody = z.object({
  success: z.literal(false),
  error: z.string().describe('What went wrong and what to do, for a person.'),
  code: z.string().describe('The cause, for a program.'),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** One call of the API: server validation, client types and the OpenAPI document come from it. */
export interface Call<Response extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST';
  readonly path: `/api/${string}`;
  readonly summary: string;
  /** Parameters of the query; a call without a schema ignores its query. */
  readonly query?: z.ZodObject;
  /** The body, as JSON; a call without a schema takes none. */
  readonly body?: z.ZodType;
  /** Fields that hold files, each in words: the body is then `multipart/form-data`, and `body` its text parts. */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * Who may call; `anyone` where absent. `wallet-owner`: the session of a wallet that was proved. `issuer`: the card
   * issuer, by its signature. A role: an admin's session of that role or a greater one.
   */
  readonly access?: 'anyone' | 'wallet-owner' | 'issuer' | AdminRole;
  readonly response: Response;
  /** Media type of the answer; JSON where absent. */
  readonly mediaType?: 'application/pdf' | 'application/octet-stream';
  /** Status codes other than 200 that the call may answer with an error body, and why. */
  readonly errors: Readonly<Record<number, string>>;
  /**
   * Whether the answer is served from the cached snapshot. `true`: the stream sends its body when it changes.
   * `announced`: the body grows with the number of stakers, so the stream only says that it changed.
   */
  readonly live: boolean | 'announced';
}

/** What a call takes as its body, as the client writes it. */
export type BodyOf<C extends { readonly body: z.ZodType }> = z.input<C['body']>;

/** The typed answer of a call. */
export type ResponseOf<C extends Call> = z.infer<C['response']>;
