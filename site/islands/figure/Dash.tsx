/** A value that is not known: a dash, read out as what it means. */
export function Dash() {
  return (
    <>
      <span aria-hidden="true">—</span>
      <span className="visually-hidden">Not available</span>
    </>
  );
}
