import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { errorText } from '../../data/call-error.ts';
import { type StoredRecord, useHasRole } from '../admin/admin-calls.ts';
import { adminFetch } from '../admin/admin-session.ts';
import { saveBlob } from '../ui/download.ts';
import styles from './record.module.css';
import { labelOf } from './status-labels.tsx';

const PdfViewer = lazy(() => import('./PdfViewer.tsx'));

type StoredLoan = Extract<StoredRecord, { kind: 'loan-application' }>;
type LoanDocument = StoredLoan['record']['documents'][number];

/** A file size as text, such as `1.4 MB`. */
export function sizeText(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.ceil(bytes / 1_000)}\u00a0kB`
    : `${(bytes / 1_000_000).toFixed(1)}\u00a0MB`;
}

export function Documents({ stored: storedRecord }: { readonly stored: StoredLoan }) {
  const { documents } = storedRecord.record;
  const maySee = useHasRole('reviewer');
  return (
    <section aria-labelledby="record-documents">
      <h3 id="record-documents">Documents</h3>
      {documents.length === 0 ? <p className={styles.quiet}>The documents have been deleted.</p> : null}
      {documents.length > 0 && !maySee ? (
        <p className={styles.quiet}>Only reviewers and owners can view documents.</p>
      ) : null}
      {documents.length > 0 && maySee ? (
        <>
          <p className={styles.quiet}>Every view is logged.</p>
          <ul className={styles.events}>
            {documents.map(({ id, kind, referenceNumber, ...fileProperties }) => {
              const sourceText =
                referenceNumber === storedRecord.referenceNumber ? '' : ` (${referenceNumber})`;
              return (
                <li key={id}>
                  <OneDocument
                    {...fileProperties}
                    name={labelOf(kind) + sourceText}
                    path={`${PATHS.loanDocument}?id=${id}`}
                  />
                </li>
              );
            })}
          </ul>
        </>
      ) : null}
    </section>
  );
}

interface OneDocumentProps extends Pick<LoanDocument, 'fileName' | 'mediaType' | 'byteLength'> {
  readonly name?: string;
  /** The path of the API call that returns the file, including the file's id. */
  readonly path: string;
}

/** PDF, JPEG and PNG files can be viewed in place. Other files can only be saved, because the portal has no viewer for them. */
export function OneDocument({ fileName, mediaType, byteLength, name, path }: OneDocumentProps) {
  const label = name ?? fileName;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [url, setUrl] = useState<string | null>(null);
  const [pdf, setPdf] = useState<Blob | null>(null);
  const viewButton = useRef<HTMLButtonElement>(null);
  const isShown = url !== null || pdf !== null;
  const hide = () => {
    setUrl(null);
    setPdf(null);
    viewButton.current?.focus();
  };
  useEffect(
    () => () => {
      if (url !== null) URL.revokeObjectURL(url);
    },
    [url],
  );
  const viewOrSave = async (disposition: 'view' | 'file') => {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    try {
      const content = await (await adminFetch('GET', `${path}&as=${disposition}`)).blob();
      if (disposition === 'file') saveBlob(fileName, content);
      else if (mediaType === 'application/pdf') setPdf(content);
      else setUrl(URL.createObjectURL(content));
    } catch (error) {
      setError(errorText(error, 'The document could not be loaded.'));
    }
    setBusy(false);
  };
  return (
    <>
      <p className={styles.document}>
        <span>
          {label}{' '}
          <span className={styles.quiet}>
            {name === undefined ? sizeText(byteLength) : `${fileName}, ${sizeText(byteLength)}`}
          </span>
        </span>
        <span>
          {/^(application\/pdf|image\/(jpeg|png))$/.test(mediaType) ? (
            <button
              ref={viewButton}
              type="button"
              className="button"
              aria-disabled={isBusy}
              aria-expanded={isShown}
              onClick={() => (isShown ? hide() : void viewOrSave('view'))}
            >
              {isShown ? 'Hide' : 'View'}
              <span className="visually-hidden"> {label}</span>
            </button>
          ) : null}
          <button
            type="button"
            className="button"
            aria-disabled={isBusy}
            onClick={() => void viewOrSave('file')}
          >
            Save<span className="visually-hidden"> {label}</span>
          </button>
        </span>
      </p>
      {error === null ? null : (
        <p className={styles.failure} role="alert">
          {error}
        </p>
      )}
      {url === null ? null : <img className={styles.picture} src={url} alt={`${label} from the applicant`} />}
      {pdf === null ? null : (
        <Suspense>
          <PdfViewer label={label} content={pdf} onSave={() => void viewOrSave('file')} onClose={hide} />
        </Suspense>
      )}
    </>
  );
}
