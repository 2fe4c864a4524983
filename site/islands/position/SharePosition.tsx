import { useEffect, useRef, useState } from 'react';
import type { WalletPosition } from '../../../data/contract/position.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { saveBlob } from '../ui/download.ts';
import styles from './picture.module.css';
import { drawPicture, PICTURE_SIZE, pictureTexts } from './position-picture.ts';

const MEDIA_TYPE = 'image/png';

interface SharePositionProps {
  readonly position: WalletPosition;
  readonly onClose: () => void;
}

export default function SharePosition({ position, onClose }: SharePositionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  // Keeps the position with which the dialog opened, because the page may read a newer one in the meantime.
  const [initialPosition] = useState(position);
  const [choice, setChoice] = useState({ hasAmount: false, hasAddress: false });
  const { hasAmount, hasAddress } = choice;
  const texts = pictureTexts(initialPosition, choice);
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  useEffect(() => {
    if (canvas.current)
      void drawPicture(
        canvas.current,
        initialPosition.tier,
        pictureTexts(initialPosition, { hasAmount, hasAddress }),
      );
  }, [initialPosition, hasAmount, hasAddress]);

  const fileName = `blackduck-position-${initialPosition.asOf.slice(0, 10)}.png`;
  const createPicture = () =>
    new Promise<Blob>((resolve, reject) => {
      canvas.current?.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be encoded.'))),
        MEDIA_TYPE,
      );
    });
  const runAction = async (action: () => Promise<void>) => {
    try {
      await action();
    } catch (error) {
      // The visitor closed the system's share dialog.
      if (error instanceof DOMException && error.name === 'AbortError') return;
      await showToast({
        title: 'That didn’t work',
        text: 'Could not save or share the picture. Try again.',
        kind: 'failure',
      });
    }
  };
  const share = () =>
    runAction(async () => {
      const file = new File([await createPicture()], fileName, { type: MEDIA_TYPE });
      await navigator.share({ files: [file] });
    });
  const copy = () =>
    runAction(async () => {
      await navigator.clipboard.write([new ClipboardItem({ [MEDIA_TYPE]: createPicture() })]);
      await showToast({ title: 'Copied', text: 'The picture is on your clipboard.', kind: 'success' });
    });
  const canShare = navigator.canShare?.({ files: [new File([], fileName, { type: MEDIA_TYPE })] }) ?? false;
  const canCopy = typeof ClipboardItem !== 'undefined' && navigator.clipboard !== undefined;
  return (
    <dialog ref={dialog} className={styles.picture} aria-labelledby="position-picture" onClose={onClose}>
      <h2 id="position-picture">Share as a picture</h2>
      <p>
        The picture is created in your browser. It doesn’t show your amount or address unless you add them.
      </p>
      <canvas
        ref={canvas}
        {...PICTURE_SIZE}
        role="img"
        aria-label={Object.values(texts)
          .filter((text) => text !== null)
          .join(', ')}
      />
      {(
        [
          ['hasAmount', 'Add the staked amount'],
          ['hasAddress', 'Add the wallet address'],
        ] as const
      ).map(([name, label]) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={choice[name]}
            onChange={({ target }) => setChoice({ ...choice, [name]: target.checked })}
          />
          {label}
        </label>
      ))}
      <div className={styles.actions}>
        {canShare ? (
          <button type="button" className="button gold" onClick={share}>
            Share
          </button>
        ) : null}
        <button
          type="button"
          className={canShare ? 'button' : 'button gold'}
          onClick={() => runAction(async () => saveBlob(fileName, await createPicture()))}
        >
          Download PNG
        </button>
        {canCopy ? (
          <button type="button" className="button" onClick={copy}>
            Copy Picture
          </button>
        ) : null}
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
