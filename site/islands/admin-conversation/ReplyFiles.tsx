import { useEffect, useRef, useState } from 'react';
import { FILE_LIMITS } from '../../../data/model/conversation.ts';
import { errorText } from '../../data/call-error.ts';
import { sizeText } from '../admin-dashboard/Documents.tsx';
import { FieldFrame } from '../form/Field.tsx';
import styles from './conversation.module.css';
import { type AttachedFile, removeFile, uploadFile } from './conversation-calls.ts';

/** HEIC is left out, so that iPhones convert photos to JPEG. */
const ACCEPTED_TYPES = 'application/pdf,image/jpeg,image/png,image/webp,text/plain';
const MAX_MEGABYTES = FILE_LIMITS.bytesPerReply / 1_000_000;
const UPLOAD_FAILED = 'The upload failed. Remove the file, then attach it again.';

/** A chosen file that is not on the server: waiting, being sent, rejected or failed. */
interface Upload {
  readonly file: File;
  /** The fraction sent so far, from 0 to 1. */
  readonly share: number;
  readonly error: string | null;
}

interface Uploads {
  readonly items: readonly Upload[];
  readonly add: (files: FileList) => void;
  readonly remove: (file: File) => void;
}

const totalBytes = (files: readonly { readonly bytes: number }[]) =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * Uploads a reply's files one by one, because the portal accepts only a few at a time. The uploads stop when the form closes.
 */
export function useUploads(
  referenceNumber: string,
  attachedFiles: readonly AttachedFile[],
  onAttached: (file: AttachedFile) => void,
): Uploads {
  const [items, setItems] = useState<readonly Upload[]>([]);
  const controllers = useRef(new Map<File, AbortController>());
  const uploadQueue = useRef(Promise.resolve());
  useEffect(
    () => () => {
      for (const controller of controllers.current.values()) controller.abort();
    },
    [],
  );
  const removeUpload = (file: File) => setItems((current) => current.filter((item) => item.file !== file));
  const update = (file: File, changes: Partial<Upload>) =>
    setItems((current) => current.map((item) => (item.file === file ? { ...item, ...changes } : item)));
  const upload = async (file: File, { signal }: AbortController) => {
    if (signal.aborted) return;
    try {
      const storedFile = await uploadFile(referenceNumber, file, {
        onProgress: (share) => update(file, { share }),
        signal,
      });
      if (signal.aborted) return removeFile(storedFile.id);
      removeUpload(file);
      onAttached(storedFile);
    } catch (error) {
      update(file, { error: errorText(error, UPLOAD_FAILED) });
    }
  };
  return {
    items,
    add: (files) => {
      const acceptedFiles = [
        ...attachedFiles.map(({ byteLength }) => ({ bytes: byteLength })),
        ...items.filter(({ error }) => error === null).map(({ file }) => ({ bytes: file.size })),
      ];
      for (const file of files) {
        const bytes = totalBytes(acceptedFiles) + file.size;
        let error: string | null = null;
        if (acceptedFiles.length >= FILE_LIMITS.perReply)
          error = `A message can have at most ${FILE_LIMITS.perReply} files. Remove one.`;
        else if (bytes > FILE_LIMITS.bytesPerReply)
          error = `The files in a message can total at most ${MAX_MEGABYTES} MB. Attach a smaller file.`;
        setItems((current) => [...current, { file, share: 0, error }]);
        if (error !== null) continue;
        acceptedFiles.push({ bytes: file.size });
        const controller = new AbortController();
        controllers.current.set(file, controller);
        uploadQueue.current = uploadQueue.current.then(() => upload(file, controller));
      }
    },
    remove: (file) => {
      controllers.current.get(file)?.abort();
      removeUpload(file);
    },
  };
}

interface ReplyFilesProps {
  readonly files: readonly AttachedFile[];
  readonly uploads: Uploads;
  readonly onRemove: (id: string) => void;
}

export function ReplyFiles({ files, uploads, onRemove }: ReplyFilesProps) {
  const input = useRef<HTMLInputElement>(null);
  const removeAndFocus = (remove: () => void) => () => {
    remove();
    input.current?.focus();
  };
  return (
    <FieldFrame
      id="reply-files"
      label="Files"
      optional
      hint={`Choose, drop or paste up to ${FILE_LIMITS.perReply} files: PDF, JPEG, PNG, WebP or plain text, at most ${MAX_MEGABYTES} MB in total.`}
      error={null}
    >
      {(wiring) => (
        <>
          <input
            {...wiring}
            ref={input}
            className={styles.file}
            type="file"
            accept={ACCEPTED_TYPES}
            multiple
            onChange={({ target }) => {
              if (target.files) uploads.add(target.files);
              target.value = '';
            }}
          />
          {files.length + uploads.items.length === 0 ? null : (
            <ul className={styles.files} aria-label="Attached files">
              {files.map(({ id, fileName, byteLength }) => (
                <li key={id} data-file="stored">
                  <span>
                    {fileName} ({sizeText(byteLength)})
                  </span>
                  <RemoveButton
                    name={fileName}
                    onClick={removeAndFocus(() => {
                      onRemove(id);
                      removeFile(id);
                    })}
                  />
                </li>
              ))}
              {uploads.items.map(({ file, share, error }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
                <li key={index} data-file={error === null ? 'sending' : 'refused'}>
                  <span>
                    {file.name} ({sizeText(file.size)})
                  </span>
                  {error === null ? <progress value={share} aria-label={`${file.name}: uploading`} /> : null}
                  <RemoveButton name={file.name} onClick={removeAndFocus(() => uploads.remove(file))} />
                  {error === null ? null : (
                    <span className={styles.fileError} role="alert">
                      {error}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </FieldFrame>
  );
}

function RemoveButton({ name, onClick }: { readonly name: string; readonly onClick: () => void }) {
  return (
    <button type="button" className={styles.removeFile} onClick={onClick}>
      Remove<span className="visually-hidden"> {name}</span>
    </button>
  );
}
