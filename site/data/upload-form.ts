import type { IDEMPOTENCY_HEADER as DeclaredHeader } from '../../data/contract/applications.ts';
import { type SubmitOutcome, submitOutcomeOf } from './submit-form.ts';

const IDEMPOTENCY_HEADER: typeof DeclaredHeader = 'Idempotency-Key';

/** Milliseconds that a form with files waits for its answer: as long as the server reads one. */
const ANSWER_WITHIN = 300_000;

/**
 * Sends a form with files under a key, and tells how far that is. Whatever happens is an outcome; nothing is thrown.
 * @param onProgress called with the share that was sent, from 0 to 1
 */
export function uploadForm(
  path: string,
  form: FormData,
  key: string,
  onProgress: (share: number) => void,
): Promise<SubmitOutcome> {
  return new Promise((resolve) => {
    // Of what browsers offer, only this tells how much of a body was sent.
    const sending = new XMLHttpRequest();
    sending.open('POST', path);
    sending.timeout = ANSWER_WITHIN;
    sending.withCredentials = true;
    sending.setRequestHeader(IDEMPOTENCY_HEADER, key);
    sending.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total);
    };
    sending.onload = () => resolve(submitOutcomeOf(sending.status, sending.responseText));
    for (const event of ['error', 'timeout', 'abort'] as const) {
      sending.addEventListener(event, () => resolve({ kind: 'no-network' }));
    }
    sending.send(form);
  });
}
