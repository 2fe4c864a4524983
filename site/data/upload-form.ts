import { IDEMPOTENCY_HEADER } from '../../data/contract/paths.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import { apiUrl } from './request.ts';
import { type SubmitOutcome, submitOutcomeOf } from './submit-form.ts';

const TIMEOUT = PORTAL_LIMITS.uploadMinutes * 60_000;

interface UploadOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Called with the share that was sent, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal?: AbortSignal;
}

/** Sends a form with files. Never rejects. Resolves to null if no response arrives. */
export function sendFiles(
  path: string,
  form: FormData,
  { headers, onProgress, signal }: UploadOptions,
): Promise<{ readonly status: number; readonly body: string } | null> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(null);
    // `fetch` does not report upload progress.
    const sending = new XMLHttpRequest();
    sending.open('POST', apiUrl(path));
    sending.timeout = TIMEOUT;
    sending.withCredentials = true;
    for (const [name, value] of Object.entries(headers)) sending.setRequestHeader(name, value);
    sending.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total);
    };
    sending.onload = () => resolve({ status: sending.status, body: sending.responseText });
    for (const event of ['error', 'timeout', 'abort'] as const) {
      sending.addEventListener(event, () => resolve(null));
    }
    signal?.addEventListener('abort', () => sending.abort());
    sending.send(form);
  });
}

/** Sends a visitor's form with files and its idempotency key. Never rejects. */
export async function uploadForm(
  path: string,
  form: FormData,
  key: string,
  onProgress: UploadOptions['onProgress'],
): Promise<SubmitOutcome> {
  const response = await sendFiles(path, form, { headers: { [IDEMPOTENCY_HEADER]: key }, onProgress });
  return response === null ? { kind: 'no-network' } : submitOutcomeOf(response.status, response.body);
}
