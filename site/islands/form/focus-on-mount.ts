/** A `ref` that moves the focus to its element when the element appears. */
export const focusOnMount = (element: HTMLElement | null) => element?.focus();
