import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { RateLimitName } from '../../data/config/rate-limits.ts';
import type { Call } from '../../data/contract/call.ts';
import { type AdminRole, mayActAs } from '../../data/model/admin-rules.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { ApiRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { readBody, readQuery } from '../request-input.ts';
import { adminAuditRecord, requestAddress } from './admin-audit.ts';
import { SESSION_IDLE_MS } from './admin-context.ts';

export interface SignedInAdmin {
  readonly id: string;
  readonly username: string;
  readonly role: AdminRole;
  /** Identifies the session in lists and in the audit trail. It is not the token. */
  readonly sessionId: string;
  /** The IP address that the request came from. */
  readonly address: string;
}

/**
 * Identifies the admin who sent a request.
 * @throws {ApiError} `not-signed-in` (401) without a valid session; `not-allowed` (403) if the role is not sufficient.
 */
export type AuthorizeAdmin = (request: Request, requiredRole: AdminRole) => Promise<SignedInAdmin>;

/** `Bearer` and 256 bits in base64url. */
const BEARER = /^bearer +([\w-]{43})$/i;

/** The token from the `Authorization` header. Tokens in cookies and query parameters are ignored. */
export function bearerToken(request: IncomingMessage): string | null {
  return BEARER.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** Reads the session and the account from the store on every request, so that changes to them apply immediately. */
export function adminAuthorization({ store, now }: { store: AppStore; now: () => number }): AuthorizeAdmin {
  return async (request, requiredRole) => {
    const token = bearerToken(request);
    const at = now();
    const session = token === null ? null : await store.admins.touchSession(token, at, at - SESSION_IDLE_MS);
    if (!session) throw new ApiError('not-signed-in');
    const { sessionId, admin: account } = session;
    const { role } = account;
    const admin = { ...account, sessionId, address: requestAddress(request) };
    if (!mayActAs(role, requiredRole)) {
      const details = { path: request.path, role };
      await store.recordAudit(adminAuditRecord(admin, { action: 'admin.call-refused', at, details }));
      throw new ApiError('not-allowed');
    }
    return admin;
  };
}

type AdminCall = Call & { readonly access: AdminRole };
interface RouteOptions {
  readonly authorize: AuthorizeAdmin;
  readonly limit?: RateLimitName;
  readonly bodyParser?: ApiRoute['bodyParser'];
}

/** A route that authorizes the admin before `respond` validates the request. */
export function adminRoute(
  { method, path, access }: AdminCall,
  { authorize, limit, bodyParser }: RouteOptions,
  respond: (admin: SignedInAdmin, request: Request, response: Response) => Promise<void>,
): ApiRoute {
  return {
    method,
    path,
    ...(limit && { limit }),
    ...(bodyParser && { bodyParser }),
    handle: async (request, response) => respond(await authorize(request, access), request, response),
  };
}

/**
 * Sends a JSON response, with its headers and body in one write. Express would convert a long body to a buffer, which Node
 * writes separately after the headers.
 */
export function sendJson(response: Response, answer: unknown): void {
  const body = JSON.stringify(answer);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

type InputOf<C extends Call> = C extends { readonly body: infer Body extends z.ZodType }
  ? z.output<Body>
  : C extends { readonly query: infer Query extends z.ZodObject }
    ? z.output<Query>
    : undefined;

/** @param answer gets the call's parsed body, or its parsed query if the call has no body */
export function adminJsonRoute<C extends AdminCall, Answer>(
  call: C & { readonly response: z.ZodType<Answer> },
  options: RouteOptions,
  answer: (admin: SignedInAdmin, input: InputOf<C>, request: Request) => Promise<Answer>,
): ApiRoute {
  return adminRoute(call, options, async (admin, request, response) => {
    const query = call.query && readQuery(call.query, request.query);
    const input = call.body ? readBody(call.body, request.body) : query;
    sendJson(response, await answer(admin, input as InputOf<C>, request));
  });
}
