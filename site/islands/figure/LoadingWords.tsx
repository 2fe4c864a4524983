/** Says that a figure is on its way; on a page whose scripts do not run, where none is, a dash. */
export function LoadingWords() {
  return (
    <>
      <span className="visually-hidden script-only">Loading</span>
      <span className="without-script">—</span>
    </>
  );
}
