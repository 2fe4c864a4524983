import { IDEMPOTENCY_HEADER } from '../../data/contract/paths.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import { apiUrl } from './request.ts';
import { type SubmitOutcome, submitOutcomeOf } from './submit-form.ts';

const TIMEOUT_MS = PORTAL_LIMITS.uploadMinutes * 60_000;

interface UploadOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Called with the fraction sent so far, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal?: AbortSignal;
}

/** Never rejects. Resolves to null if no response arrives. */
export function sendFiles(
  path: string,
  form: FormData,
  { headers, onProgress, signal }: UploadOptions,
): Promise<{ readonly status: number; readonly body: string } | null> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(null);
    // `fetch` does not report upload progress.
    const upload = new XMLHttpRequest();
    upload.open('POST', apiUrl(path));
    upload.timeout = TIMEOUT_MS;
    upload.withCredentials = true;
    for (const [name, value] of Object.entries(headers)) upload.setRequestHeader(name, value);
    upload.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total);
    };
    upload.onload = () => resolve({ status: upload.status, body: upload.responseText });
    for (const event of ['error', 'timeout', 'abort'] as const) {
      upload.addEventListener(event, () => resolve(null));
    }
    signal?.addEventListener('abort', () => upload.abort());
    upload.send(form);
  });
}

/** Never rejects. */
export async function uploadForm(
  path: string,
  form: FormData,
  key: string,
  onProgress: UploadOptions['onProgress'],
): Promise<SubmitOutcome> {
  const response = await sendFiles(path, form, { headers: { [IDEMPOTENCY_HEADER]: key }, onProgress });
  return response === null ? { kind: 'no-network' } : submitOutcomeOf(response.status, response.body);
}
