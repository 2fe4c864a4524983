import { type ChangeEvent, useEffect, useRef, useState } from 'react';
import position from '../position/position.module.css';
import { saveBlob } from '../ui/offer-download.ts';
import styles from './address-book.module.css';
import {
  BOOK_IS_FULL,
  compareNames,
  type FileError,
  mergeNames,
  NAME_LIMITS,
  parseNames,
  storeNames,
} from './names-file.ts';
import { namesFile, type OwnNames } from './own-names.ts';

function errorText(error: FileError): string {
  switch (error.kind) {
    case 'too-large':
      return `The file is larger than ${NAME_LIMITS.fileKb} kB.`;
    case 'not-json':
      return 'The file is not JSON. Choose a file that the address book exported.';
    case 'not-a-book':
      return 'The file is not an address book. Choose a file that the address book exported.';
    case 'newer':
      return 'This version of the file is not supported. Export the address book again from this portal.';
    case 'too-many':
      return `The file has more than ${NAME_LIMITS.names} names.`;
    case 'address':
      return `Entry ${error.entry} has no valid Solana address.`;
    case 'name':
      return `Entry ${error.entry} has no valid name.`;
    case 'twice':
      return `Entry ${error.entry} repeats the address of an earlier entry.`;
  }
}

/** Exports the names as a file, and imports them from one. */
export function NameFiles({ names }: { readonly names: OwnNames }) {
  const input = useRef<HTMLInputElement>(null);
  const [imported, setImported] = useState<OwnNames | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [notice, setNotice] = useState('');
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (file === undefined) return;
    setImported(null);
    setNotice('');
    // The visitor can choose a file of any size.
    const isTooLarge = file.size > NAME_LIMITS.fileKb * 1_000;
    const read = isTooLarge
      ? ({ kind: 'too-large' } as const)
      : await file.text().then(parseNames, () => ({ kind: 'not-json' }) as const);
    // Lets the visitor choose the same file again.
    target.value = '';
    setFailure('kind' in read ? `${errorText(read)} Nothing was imported.` : null);
    if (!('kind' in read)) setImported(read);
  };
  const save = () => {
    const text = JSON.stringify(namesFile(names), null, 2);
    saveBlob('blackduck-address-book.json', new Blob([text], { type: 'application/json' }));
  };
  return (
    <>
      <p className={position.actions}>
        {names.size === 0 ? null : (
          <button type="button" className="button" onClick={save}>
            Export as JSON
          </button>
        )}
        <button type="button" className="button" onClick={() => input.current?.click()}>
          Import a File
        </button>
        <input
          ref={input}
          id="own-names-file"
          type="file"
          accept=".json,application/json"
          aria-label="File with names"
          hidden
          onChange={(event) => void choose(event)}
        />
      </p>
      <p role="status" data-imported={notice !== ''}>
        {notice}
      </p>
      {failure === null ? null : (
        <p className={position.failure} role="alert" data-import="failed">
          {failure}
        </p>
      )}
      {imported === null ? null : (
        <Preview
          names={names}
          imported={imported}
          onCancel={() => setImported(null)}
          onImport={(replaced) => {
            const problem = storeNames((changed) => mergeNames(changed, imported, replaced));
            setFailure(problem);
            if (problem !== null) return;
            setImported(null);
            setNotice('The names were imported.');
          }}
        />
      )}
    </>
  );
}

interface PreviewProps {
  readonly names: OwnNames;
  readonly imported: OwnNames;
  readonly onImport: (replaced: ReadonlySet<string>) => void;
  readonly onCancel: () => void;
}

/** What an import would change. */
function Preview({ names, imported, onImport, onCancel }: PreviewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [replaced, setReplaced] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => heading.current?.focus(), []);
  const { added, same, conflicts } = compareNames(names, imported);
  const isFull = names.size + added.length > NAME_LIMITS.names;
  const choose = (address: string, isReplaced: boolean) => {
    const chosen = new Set(replaced);
    if (isReplaced) chosen.add(address);
    else chosen.delete(address);
    setReplaced(chosen);
  };
  return (
    <div className={styles.preview} data-preview={`${added.length} ${same} ${conflicts.length}`}>
      <h3 ref={heading} tabIndex={-1}>
        {`${added.length} new, ${same} unchanged, ${conflicts.length} with a different name`}
      </h3>
      {added.length === 0 ? null : (
        <ul className={styles.names}>
          {added.map(({ address, name }) => (
            <li key={address}>
              <strong translate="no">
                <bdi>{name}</bdi>
              </strong>
              <span className="full-id">{address}</span>
            </li>
          ))}
        </ul>
      )}
      {conflicts.map(({ address, name, imported: other }) => (
        <fieldset key={address} data-conflict={address}>
          <legend className="full-id">{address}</legend>
          {[false, true].map((isReplaced) => (
            <label key={String(isReplaced)}>
              <input
                type="radio"
                name={`name of ${address}`}
                checked={replaced.has(address) === isReplaced}
                onChange={() => choose(address, isReplaced)}
              />
              <span>
                {isReplaced ? 'Use' : 'Keep'} <bdi translate="no">{isReplaced ? other : name}</bdi>
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      {isFull ? (
        <p className={position.failure} role="alert">
          {BOOK_IS_FULL}
        </p>
      ) : null}
      <p className={position.actions}>
        <button type="button" className="button gold" disabled={isFull} onClick={() => onImport(replaced)}>
          Import Names
        </button>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </div>
  );
}
