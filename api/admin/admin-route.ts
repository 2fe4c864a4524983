import type { Request, RequestHandler, Response } from 'express';
import type { Call } from '../../data/contract/call.ts';
import type { AdminRole } from '../../data/model/admin-roles.ts';
import type { ApiRoute } from '../known-calls.ts';
import { within } from '../security/rate-limit.ts';
import type { AdmitAdmin, SignedInAdmin } from './signed-in-admin.ts';

/** What one call of an admin is answered by, once its role was found to do. */
export type AnswerAdmin = (admin: SignedInAdmin, request: Request, response: Response) => Promise<void>;

/**
 * Serves a call for the role that its contract names: nothing of the request is looked at before who sent it is known.
 * @param limit counts the call, before anything else
 */
export function adminRoute(
  call: Pick<Call, 'method' | 'path'> & { readonly access: AdminRole },
  admit: AdmitAdmin,
  answer: AnswerAdmin,
  limit?: RequestHandler,
): ApiRoute {
  const serve = async (request: Request, response: Response): Promise<void> => {
    if (limit) await within(limit, request, response);
    await answer(await admit(request, call.access), request, response);
  };
  return {
    method: call.method,
    path: call.path,
    handle: (request, response, next) => void serve(request, response).catch(next),
  };
}
