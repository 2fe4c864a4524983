/** A short message beside the page. At most one is shown: a later one takes the place of an earlier one. */
export interface Toast {
  readonly title: string;
  readonly text?: string;
  /** What it tells of. A failure or a denial is announced at once, anything else when the reader pauses. */
  readonly kind?: ToastKind;
  /** How long it stays while nobody points at it or works in it. `null`: until it is dismissed. Default 5. */
  readonly seconds?: ToastSeconds | null;
  /** The corner, both to the right. Default `bottom`. */
  readonly place?: 'top' | 'bottom';
  readonly actions?: readonly ToastAction[];
}

export type ToastKind = 'plain' | 'success' | 'warning' | 'failure';

/** 4: something left out. 5: success. 6: a message that failed. 10: failure. 15: denial. */
export type ToastSeconds = 4 | 5 | 6 | 10 | 15;

/** Either ends the toast. A link to elsewhere opens in a new tab. */
export type ToastAction =
  | { readonly label: string; readonly href: string }
  | { readonly label: string; readonly run: () => void };

/** Shows a toast. Callable from any script or island; what draws it is loaded with the first. */
export async function showToast(toast: Toast): Promise<void> {
  const { presentToast } = await import('./toast-stand.ts');
  presentToast(toast);
}
