import { useStore } from '@nanostores/react';
import { type ChangeEvent, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { cleanLine } from '../../../data/model/form-text.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import position from '../position/position.module.css';
import { addressOf } from '../position/wallet-address.ts';
import { saveBlob } from '../ui/offer-download.ts';
import styles from './address-book.module.css';
import {
  compareNames,
  type FileError,
  mergeNames,
  NAME_ERRORS,
  NAME_LIMITS,
  nameError,
  parseNames,
} from './names-file.ts';
import {
  $naming,
  $ownNames,
  changeOwnNames,
  type NamedAddress,
  namesFile,
  type OwnNames,
} from './own-names.ts';

const FULL = `The address book holds at most ${NAME_LIMITS.names} names. Remove some first.`;
const NOT_STORED = 'Your browser did not store the change. Its storage is full or blocked.';

/** Orders names as a person would: 2 before 10, and a before B. */
const ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Stores a change of the names. @returns why it was not stored; null if it was */
function store(change: (names: Map<string, string>) => void): string | null {
  return changeOwnNames(change) ? null : NOT_STORED;
}

/** What is wrong with a new name; null if nothing is. */
function nameProblem(name: string): string | null {
  const error = nameError(name);
  return error === null ? null : NAME_ERRORS[error];
}

/** The visitor's own names for addresses, kept in this browser. */
export default function AddressBook() {
  const names = useStore($ownNames, { ssr: 'initial' });
  const [removed, setRemoved] = useState<NamedAddress | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const sorted = [...namesFile(names).names].sort((a, b) => ORDER.compare(a.name, b.name));
  const remove = (one: NamedAddress) => {
    const problem = store((changed) => changed.delete(one.address));
    setFailure(problem);
    if (problem === null) setRemoved(one);
  };
  const restore = ({ address, name }: NamedAddress) => {
    const problem = store((changed) => {
      // The address may have a new name by now.
      if (!changed.has(address)) changed.set(address, name);
    });
    setFailure(problem);
    if (problem === null) setRemoved(null);
  };
  return (
    <section
      id="address-book"
      className={`${position.part} no-print script-only`}
      aria-labelledby="own-names"
    >
      <h2 id="own-names" className={position.head}>
        Address book
      </h2>
      <p className={position.intro}>
        Your own names for addresses. They appear beside the addresses on every page. They are stored in this
        browser only and are never sent to us.
      </p>
      <NewName names={names} />
      {sorted.length === 0 ? null : (
        <ul className={styles.names} data-names>
          {sorted.map((one) => (
            <Entry key={one.address} entry={one} onRemove={() => remove(one)} />
          ))}
        </ul>
      )}
      <p className={position.actions} role="status" data-removed={removed !== null}>
        {removed === null ? null : (
          <>
            <span>
              Removed <bdi>{removed.name}</bdi>.
            </span>
            <button type="button" className="button" onClick={() => restore(removed)}>
              Undo
            </button>
          </>
        )}
      </p>
      {failure === null ? null : (
        <p className={position.failure} role="alert">
          {failure}
        </p>
      )}
      <Files names={names} />
    </section>
  );
}

function NewName({ names }: { readonly names: OwnNames }) {
  const naming = useStore($naming, { ssr: 'initial' });
  const hydrated = useHydrated();
  const nameField = useRef<HTMLInputElement>(null);
  const [address, setAddress] = useState('');
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (naming === null || $ownNames.get().has(naming)) return;
    setAddress(naming);
    setFailure(null);
    nameField.current?.focus();
    $naming.set(null);
  }, [naming]);
  const add = () => {
    const valid = addressOf(address);
    if (valid === null) return "That isn't a valid Solana address. Copy the full address.";
    const cleaned = cleanLine(name);
    const problem = nameProblem(cleaned);
    if (problem !== null) return problem;
    const current = names.get(valid);
    if (current !== undefined) return `This address has the name ${current}. Rename it in the list.`;
    if (names.size >= NAME_LIMITS.names) return FULL;
    return store((changed) => changed.set(valid, cleaned));
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const problem = add();
    setFailure(problem);
    if (problem !== null) return;
    setAddress('');
    setName('');
  };
  return (
    <form className={styles.entry} onSubmit={submit} noValidate>
      <label>
        Address
        <input
          className={position.input}
          id="own-name-address"
          value={address}
          maxLength={100}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={({ target }) => setAddress(target.value)}
        />
      </label>
      <label>
        Name
        <input
          className={position.input}
          ref={nameField}
          id="own-name"
          value={name}
          maxLength={2 * NAME_LIMITS.characters}
          autoComplete="off"
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <button type="submit" className="button" disabled={!hydrated}>
        Add Name
      </button>
      <p className={styles.problem} role="alert">
        {failure}
      </p>
    </form>
  );
}

interface EntryProps {
  readonly entry: NamedAddress;
  readonly onRemove: () => void;
}

function Entry({ entry: { address, name }, onRemove }: EntryProps) {
  const naming = useStore($naming, { ssr: 'initial' });
  const [text, setText] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const edit = () => {
    setText(name);
    setFailure(null);
  };
  useEffect(() => {
    if (naming !== address) return;
    setText(name);
    $naming.set(null);
  }, [naming, address, name]);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const cleaned = cleanLine(text ?? '');
    const problem = nameProblem(cleaned) ?? store((changed) => changed.set(address, cleaned));
    setFailure(problem);
    if (problem === null) setText(null);
  };
  return (
    <li data-named={address}>
      {text === null ? (
        <strong translate="no">
          <bdi>{name}</bdi>
        </strong>
      ) : (
        <form onSubmit={submit} noValidate>
          <input
            className={position.input}
            // biome-ignore lint/a11y/noAutofocus: the visitor pressed Rename
            autoFocus
            value={text}
            maxLength={2 * NAME_LIMITS.characters}
            aria-label={`New name for ${name}`}
            aria-invalid={failure !== null}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={({ key }) => {
              if (key === 'Escape') setText(null);
            }}
          />
          <button type="submit" className="button">
            Save
          </button>
          <button type="button" className="button" onClick={() => setText(null)}>
            Cancel
          </button>
          <p className={styles.problem} role="alert">
            {failure}
          </p>
        </form>
      )}
      <span className="full-id">{address}</span>
      <span className={styles.buttons}>
        {text === null ? (
          <button type="button" className="button" aria-label={`Rename ${name}`} onClick={edit}>
            Rename
          </button>
        ) : null}
        <button type="button" className="button" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </button>
      </span>
    </li>
  );
}

function errorText(error: FileError): string {
  switch (error.kind) {
    case 'too-large':
      return `The file is larger than ${NAME_LIMITS.fileKb} kB.`;
    case 'not-json':
      return 'The file is not JSON. Choose a file that the address book exported.';
    case 'not-a-book':
      return 'The file is not an address book. Choose a file that the address book exported.';
    case 'newer':
      return 'The file has another version. Export it again from this portal.';
    case 'too-many':
      return `The file has more than ${NAME_LIMITS.names} names.`;
    case 'address':
      return `Entry ${error.entry} has no valid Solana address.`;
    case 'name':
      return `Entry ${error.entry} has no valid name.`;
    case 'twice':
      return `Entry ${error.entry} has an address that an earlier entry has.`;
  }
}

function Files({ names }: { readonly names: OwnNames }) {
  const input = useRef<HTMLInputElement>(null);
  const [imported, setImported] = useState<OwnNames | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [notice, setNotice] = useState('');
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (file === undefined) return;
    setImported(null);
    setNotice('');
    // A file of any size can be chosen.
    const isTooLarge = file.size > NAME_LIMITS.fileKb * 1_000;
    const read = isTooLarge
      ? ({ kind: 'too-large' } as const)
      : await file.text().then(parseNames, () => ({ kind: 'not-json' }) as const);
    // The same file can be chosen again.
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
            const problem = store((changed) => mergeNames(changed, imported, replaced));
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
        {`${added.length} new, ${same} unchanged, ${conflicts.length} with another name`}
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
          {FULL}
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
