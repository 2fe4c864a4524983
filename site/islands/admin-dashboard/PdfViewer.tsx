import { type KeyboardEvent, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import type { FrameMessage, ShowPageRequest } from '../../pdf-viewer/frame.ts';
import styles from './pdf-viewer.module.css';
import { useIsWide } from './use-is-wide.ts';

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];
const FIT_ZOOM_INDEX = ZOOMS.indexOf(1);
const countFormat = new Intl.NumberFormat('en-US');

interface PdfViewerProps {
  readonly label: string;
  readonly content: Blob;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

/**
 * Shows a PDF one page at a time, in the record's panel or, on a narrow screen, over the whole screen. The file is not
 * trusted, so a frame with an opaque origin reads and renders it.
 */
export default function PdfViewer({ label, content, onSave, onClose }: PdfViewerProps) {
  const isWide = useIsWide();
  const dialog = useRef<HTMLDialogElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [port, setPort] = useState<MessagePort | null>(null);
  const [pageCount, setPageCount] = useState(0);
  const [page, setPage] = useState(1);
  const [shownPage, setShownPage] = useState(0);
  const [zoomIndex, setZoomIndex] = useState(FIT_ZOOM_INDEX);
  const [hasFailed, setFailed] = useState(false);

  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    if (element.open) element.close();
    if (isWide) element.show();
    else element.showModal();
    element.focus();
  }, [isWide]);
  useEffect(() => {
    if (pageCount > 0) port?.postMessage({ page, zoom: ZOOMS[zoomIndex] ?? 1 } satisfies ShowPageRequest);
  }, [port, pageCount, page, zoomIndex]);

  const goToPage = (to: number) => setPage(Math.max(1, Math.min(to, pageCount)));
  const zoomTo = (to: number) => setZoomIndex(Math.max(0, Math.min(to, ZOOMS.length - 1)));
  /** @returns whether the viewer handled the key */
  const handleKey = (key: string): boolean => {
    switch (key) {
      case 'ArrowRight':
      case 'PageDown':
        goToPage(page + 1);
        return true;
      case 'ArrowLeft':
      case 'PageUp':
        goToPage(page - 1);
        return true;
      case 'Home':
      case 'End':
        goToPage(key === 'Home' ? 1 : pageCount);
        return true;
      case '+':
      case '=':
      case '-':
        zoomTo(zoomIndex + (key === '-' ? -1 : 1));
        return true;
      case 'Escape':
        dialog.current?.close();
        return true;
      default:
        return false;
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const isHandled = !ctrlKey && !metaKey && !altKey && handleKey(key);
    if (isHandled) event.preventDefault();
    if (isHandled || !isWide) event.stopPropagation();
  };
  const onAnswer = useEffectEvent((answer: FrameMessage) => {
    if (answer.kind === 'opened') setPageCount(answer.pages);
    else if (answer.kind === 'shown') setShownPage(answer.page);
    else if (answer.kind === 'key') handleKey(answer.key);
    else setFailed(true);
  });
  useEffect(() => {
    if (port !== null) port.onmessage = ({ data }: MessageEvent<FrameMessage>) => onAnswer(data);
    return () => port?.close();
  }, [port]);
  const sendContent = async () => {
    // The frame loads once. A second load means that it has navigated to another page.
    if (port !== null) {
      setFailed(true);
      return;
    }
    const channel = new MessageChannel();
    setPort(channel.port1);
    const bytes = await content.arrayBuffer();
    // The target origin is `*`, because no other value matches an opaque origin.
    frame.current?.contentWindow?.postMessage(bytes, '*', [bytes, channel.port2]);
  };

  const renderIconButton = (name: string, path: string, act: (() => void) | null) => (
    <button
      type="button"
      className="button square"
      aria-label={name}
      aria-disabled={act === null}
      onClick={() => act?.()}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d={path} />
      </svg>
    </button>
  );
  const isLoading = pageCount === 0 || shownPage !== page;
  return (
    <dialog
      ref={dialog}
      className={styles.viewer}
      aria-label={label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onClose={() => {
        // When the screen width changes, the dialog closes and reopens at once. By the time this handler runs, it is open again.
        if (dialog.current?.open !== true) onClose();
      }}
    >
      <div className={styles.tools}>
        {renderIconButton(
          'Previous page',
          'M12.5 4.5 7 10l5.5 5.5',
          page > 1 ? () => goToPage(page - 1) : null,
        )}
        <span role="status" aria-busy={isLoading && !hasFailed} data-page={hasFailed ? 0 : shownPage}>
          {pageCount === 0 ? null : `${countFormat.format(page)} of ${countFormat.format(pageCount)}`}
          {pageCount === 0 && !hasFailed ? 'Loading…' : null}
        </span>
        {renderIconButton(
          'Next page',
          'M7.5 4.5 13 10l-5.5 5.5',
          page < pageCount ? () => goToPage(page + 1) : null,
        )}
        <span className={styles.gap} />
        {renderIconButton('Zoom out', 'M4 10h12', zoomIndex > 0 ? () => zoomTo(zoomIndex - 1) : null)}
        <span>{Math.round((ZOOMS[zoomIndex] ?? 1) * 100)}%</span>
        {renderIconButton(
          'Zoom in',
          'M4 10h12M10 4v12',
          zoomIndex < ZOOMS.length - 1 ? () => zoomTo(zoomIndex + 1) : null,
        )}
        {renderIconButton('Close document', 'M5 5l10 10M15 5 5 15', () => dialog.current?.close())}
      </div>
      {hasFailed ? (
        <div className={styles.failed} role="alert">
          <p>This PDF can't be shown here. Save it, and open it in another program.</p>
          <button type="button" className="button" onClick={onSave}>
            Save<span className="visually-hidden"> {label}</span>
          </button>
        </div>
      ) : (
        <iframe
          ref={frame}
          title={`Page ${page} of ${label}`}
          src={PATHS.pdfViewer}
          sandbox="allow-scripts"
          onLoad={() => void sendContent()}
        />
      )}
    </dialog>
  );
}
