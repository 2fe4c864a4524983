import type { applicationStatus } from '../../../data/contract/applications.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import { RequestError, request } from '../../data/request.ts';
import { wordsOfRefusal } from '../../data/submit-form.ts';

const PATH: (typeof applicationStatus)['path'] = '/api/card/application-status';

export type ApplicationStatusBody = ResponseOf<typeof applicationStatus>;

/** What came of looking. */
export type StatusReading =
  | { readonly kind: 'idle' | 'reading' | 'no-network' }
  | { readonly kind: 'known'; readonly body: ApplicationStatusBody }
  /** The server's own words, or null. */
  | { readonly kind: 'refused'; readonly words: string | null };

/** Looks where a submission stands. Whatever happens is a reading; nothing is thrown. */
export async function readStatus(referenceNumber: string, email: string): Promise<StatusReading> {
  try {
    const response = await request('POST', PATH, { payload: { referenceNumber, email } });
    return { kind: 'known', body: await response.json() };
  } catch (error) {
    return error instanceof RequestError
      ? { kind: 'refused', words: wordsOfRefusal(error) }
      : { kind: 'no-network' };
  }
}
