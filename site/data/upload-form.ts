import { IDEMPOTENCY_HEADER } from '../../data/contract/paths.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import { apiUrl } from './request.ts';
import { type SubmitOutcome, submitOutcomeOf } from './submit-form.ts';

const TIMEOUT = PORTAL_LIMITS.uploadMinutes * 60_000;

/** Sends a form with files and its idempotency key. Never rejects. `onProgress` gets the share sent, from 0 to 1. */
export function uploadForm(
  path: string,
  form: FormData,
  key: string,
  onProgress: (share: number) => void,
): Promise<SubmitOutcome> {
  return new Promise((resolve) => {
    // `fetch` does not report upload progress.
    const sending = new XMLHttpRequest();
    sending.open('POST', apiUrl(path));
    sending.timeout = TIMEOUT;
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
