/**
 * A `ref` that moves the focus to its element when the element appears. In a dialog that is not open yet, the browser moves
 * the focus when the dialog opens.
 */
export const focusOnMount = (element: HTMLElement | null) => {
  if (element === null) return;
  element.autofocus = true;
  element.focus();
};
