import { type ChangeEvent, useEffect, useRef, useState } from 'react';
import position from '../position/position.module.css';
import { saveBlob } from '../ui/download.ts';
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
import { type OwnNames, toNamesFile } from './own-names.ts';

function errorText(error: FileError): string {
  switch (error.kind) {
    case 'too-large':
      return `The file is larger than ${NAME_LIMITS.fileKb} kB.`;
    case 'not-json':
      return 'The file is not JSON. Choose a file exported from the address book.';
    case 'not-a-book':
      return 'The file is not an address book. Choose a file exported from the address book.';
    case 'newer':
      return 'This version of the file is not supported. Export the address book again from this portal.';
    case 'too-many':
      return `The file has more than ${NAME_LIMITS.names} names.`;
    case 'address':
      return `Entry ${error.entryNumber} has no valid Solana address.`;
    case 'name':
      return `Entry ${error.entryNumber} has no valid name.`;
    case 'twice':
      return `Entry ${error.entryNumber} repeats the address of an earlier entry.`;
  }
}

export function NameFiles({ names }: { readonly names: OwnNames }) {
  const input = useRef<HTMLInputElement>(null);
  const [importedNames, setImportedNames] = useState<OwnNames | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [notice, setNotice] = useState('');
  const readChosenFile = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (file === undefined) return;
    setImportedNames(null);
    setNotice('');
    // The size is checked before the file is read, because visitors can choose a file of any size.
    const isTooLarge = file.size > NAME_LIMITS.fileKb * 1_000;
    const namesOrError = isTooLarge
      ? ({ kind: 'too-large' } as const)
      : await file.text().then(parseNames, () => ({ kind: 'not-json' }) as const);
    // Lets the visitor choose the same file again.
    target.value = '';
    setFailure('kind' in namesOrError ? `${errorText(namesOrError)} Nothing was imported.` : null);
    if (!('kind' in namesOrError)) setImportedNames(namesOrError);
  };
  const exportNames = () => {
    const text = JSON.stringify(toNamesFile(names), null, 2);
    saveBlob('blackduck-address-book.json', new Blob([text], { type: 'application/json' }));
  };
  return (
    <>
      <p className={position.actions}>
        {names.size === 0 ? null : (
          <button type="button" className="button" onClick={exportNames}>
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
          aria-label="Address book file"
          hidden
          onChange={(event) => void readChosenFile(event)}
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
      {importedNames === null ? null : (
        <Preview
          names={names}
          importedNames={importedNames}
          onCancel={() => setImportedNames(null)}
          onImport={(replacedAddresses) => {
            const problem = storeNames((storedNames) =>
              mergeNames(storedNames, importedNames, replacedAddresses),
            );
            setFailure(problem);
            if (problem !== null) return;
            setImportedNames(null);
            setNotice('The names were imported.');
          }}
        />
      )}
    </>
  );
}

interface PreviewProps {
  readonly names: OwnNames;
  readonly importedNames: OwnNames;
  readonly onImport: (replacedAddresses: ReadonlySet<string>) => void;
  readonly onCancel: () => void;
}

function Preview({ names, importedNames, onImport, onCancel }: PreviewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [replacedAddresses, setReplacedAddresses] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => heading.current?.focus(), []);
  const { newEntries, unchangedCount, conflicts } = compareNames(names, importedNames);
  const isFull = names.size + newEntries.length > NAME_LIMITS.names;
  const chooseName = (address: string, isReplaced: boolean) => {
    const chosen = new Set(replacedAddresses);
    if (isReplaced) chosen.add(address);
    else chosen.delete(address);
    setReplacedAddresses(chosen);
  };
  return (
    <div
      className={styles.preview}
      data-preview={`${newEntries.length} ${unchangedCount} ${conflicts.length}`}
    >
      <h3 ref={heading} tabIndex={-1}>
        {`${newEntries.length} new, ${unchangedCount} unchanged, ${conflicts.length} with a different name`}
      </h3>
      {newEntries.length === 0 ? null : (
        <ul className={styles.names}>
          {newEntries.map(({ address, name }) => (
            <li key={address}>
              <strong translate="no">
                <bdi>{name}</bdi>
              </strong>
              <span className="full-id">{address}</span>
            </li>
          ))}
        </ul>
      )}
      {conflicts.map(({ address, name, importedName: other }) => (
        <fieldset key={address} data-conflict={address}>
          <legend className="full-id">{address}</legend>
          {[false, true].map((isReplaced) => (
            <label key={String(isReplaced)}>
              <input
                type="radio"
                name={`name of ${address}`}
                checked={replacedAddresses.has(address) === isReplaced}
                onChange={() => chooseName(address, isReplaced)}
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
        <button
          type="button"
          className="button gold"
          disabled={isFull}
          onClick={() => onImport(replacedAddresses)}
        >
          Import Names
        </button>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </div>
  );
}
