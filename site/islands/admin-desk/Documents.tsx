import { useEffect, useState } from 'react';
import { faultText } from '../../data/call-fault.ts';
import { saveBlob } from '../download/offer-download.ts';
import { type DeskRecord, readDocument } from './desk-calls.ts';
import { wordsOf } from './desk-words.ts';
import styles from './record.module.css';
import { useMay } from './role.ts';

type Document = Extract<DeskRecord, { kind: 'loan-application' }>['record']['documents'][number];

/** Bytes as they are read: `1.4 MB`. */
function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The documents of a loan application. Each look at one is recorded in the audit trail. */
export function Documents({ documents }: { readonly documents: readonly Document[] }) {
  const maySee = useMay('reviewer');
  return (
    <section aria-labelledby="record-documents">
      <h3 id="record-documents">Documents</h3>
      {documents.length === 0 ? <p className={styles.quiet}>They were deleted.</p> : null}
      {documents.length > 0 && !maySee ? (
        <p className={styles.quiet}>Only reviewers and owners may look at them.</p>
      ) : null}
      {documents.length > 0 && maySee ? (
        <>
          <p className={styles.quiet}>Each look is recorded in the audit trail.</p>
          <ul className={styles.events}>
            {documents.map((document) => (
              <li key={document.id}>
                <OneDocument document={document} />
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </section>
  );
}

/** A picture is shown here; a PDF is saved: a page of the portal lets no viewer be put into it. */
function OneDocument({ document }: { readonly document: Document }) {
  const { id, kind, fileName, mediaType, byteLength } = document;
  const name = wordsOf(kind);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [address, setAddress] = useState<string | null>(null);
  useEffect(
    () => () => {
      if (address !== null) URL.revokeObjectURL(address);
    },
    [address],
  );
  const read = async (as: 'view' | 'file') => {
    if (isBusy) return;
    setBusy(true);
    setFault(null);
    try {
      const content = await readDocument(id, as);
      if (as === 'file') saveBlob(fileName, content);
      else setAddress(URL.createObjectURL(content));
    } catch (error) {
      setFault(faultText(error, 'The document could not be read.'));
    }
    setBusy(false);
  };
  return (
    <>
      <p className={styles.document}>
        <span>
          {name} <span className={styles.quiet}>{`${fileName}, ${sizeText(byteLength)}`}</span>
        </span>
        <span>
          {mediaType.startsWith('image/') ? (
            <button
              type="button"
              className="button"
              aria-disabled={isBusy}
              aria-expanded={address !== null}
              onClick={() => (address === null ? void read('view') : setAddress(null))}
            >
              {address === null ? 'View' : 'Hide'}
              <span className="visually-hidden"> {name}</span>
            </button>
          ) : null}
          <button type="button" className="button" aria-disabled={isBusy} onClick={() => void read('file')}>
            Save<span className="visually-hidden"> {name}</span>
          </button>
        </span>
      </p>
      {fault === null ? null : (
        <p className={styles.fault} role="alert">
          {fault}
        </p>
      )}
      {address === null ? null : (
        <img className={styles.picture} src={address} alt={`${name}, as it was sent in`} />
      )}
    </>
  );
}
