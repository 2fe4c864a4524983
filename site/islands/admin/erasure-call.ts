import type { erasePerson } from '../../../data/contract/admin-erasures.ts';
import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import { faultText } from '../../data/call-fault.ts';
import { adminFetch } from './admin-session.ts';

// Named by its type alone: the declaring module would bring its schemas into the browser.
const ERASE: (typeof erasePerson)['path'] = '/api/admin/erasures';

export type Erasure = ResponseOf<typeof erasePerson>;
export type ErasureRequest = Omit<BodyOf<typeof erasePerson>, 'preview'>;

export type ErasureOutcome =
  | { readonly kind: 'answered'; readonly erasure: Erasure }
  | { readonly kind: 'failed'; readonly words: string };

/** Tells what is held of a person, or erases it. Whatever happens is an outcome; nothing is thrown. */
export async function askForErasure(request: ErasureRequest, preview: boolean): Promise<ErasureOutcome> {
  try {
    const payload: BodyOf<typeof erasePerson> = { ...request, preview };
    const response = await adminFetch('POST', ERASE, { payload });
    return { kind: 'answered', erasure: await response.json() };
  } catch (error) {
    const otherwise = preview
      ? 'The portal did not answer as it should. Try again in a moment.'
      : 'The portal did not answer as it should. Look again what is held: it may have been erased.';
    return { kind: 'failed', words: faultText(error, otherwise) };
  }
}
