import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  addNote,
  decideApplication,
  decideRequest,
  retryDelivery,
  voteOnLoan,
} from '../../../data/contract/admin-decisions.ts';
import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import { faultText } from '../../data/call-fault.ts';
import { RequestError } from '../../data/request.ts';
import { adminFetch } from '../admin/admin-session.ts';
import { RECORDS } from './desk-calls.ts';

/** What an admin can change, by the path of its call. */
interface Changes {
  '/api/admin/applications/decide': typeof decideApplication;
  '/api/admin/verification-requests/decide': typeof decideRequest;
  '/api/admin/loan-applications/vote': typeof voteOnLoan;
  '/api/admin/notes/add': typeof addNote;
  '/api/admin/deliveries/retry': typeof retryDelivery;
}
export type ChangePath = keyof Changes;
export type ChangeBody<Path extends ChangePath> = BodyOf<Changes[Path]>;

/** What came of a change. */
export type Changed<Path extends ChangePath> =
  | { readonly kind: 'done'; readonly body: ResponseOf<Changes[Path]> }
  /** Another admin was faster, or it cannot be done from where the record stands now. */
  | { readonly kind: 'conflict'; readonly words: string }
  | { readonly kind: 'failed'; readonly words: string };

/** Milliseconds that a change may take. */
const ANSWER_WITHIN = 30_000;
const FAILED = 'The portal did not answer as it should. Look at the record before you try again.';

/** Sends a change. Whatever happens is an outcome; nothing is thrown. */
export async function sendChange<Path extends ChangePath>(
  path: Path,
  payload: ChangeBody<Path>,
): Promise<Changed<Path>> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN);
    const response = await adminFetch('POST', path, { payload, signal });
    return { kind: 'done', body: await response.json() };
  } catch (error) {
    const isConflict = error instanceof RequestError && error.status === 409;
    return { kind: isConflict ? 'conflict' : 'failed', words: faultText(error, FAILED) };
  }
}

/** Sends changes one at a time; whatever comes of one, every record on the page is read again. */
export function useChange<Path extends ChangePath>(path: Path) {
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const send = async (payload: ChangeBody<Path>): Promise<Changed<Path>> => {
    setBusy(true);
    const outcome = await sendChange(path, payload);
    setBusy(false);
    // Not awaited: the outcome is told at once.
    void client.invalidateQueries({ queryKey: [RECORDS] });
    return outcome;
  };
  return { isBusy, send };
}
