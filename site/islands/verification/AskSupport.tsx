/** Where a form would stand that this build does not have: the way to the people who take the same by hand. */
export default function AskSupport() {
  return (
    <p>
      This form is not open here. <a href="/contact">Write to support</a>: the same people read it.
    </p>
  );
}
