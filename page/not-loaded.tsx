/** Shown where no language can be loaded, so that its text is not among theirs. */
export function NotLoaded() {
  return (
    <div class="np">
      <section class="card" role="alert" lang="en" dir="ltr">
        <p>This could not be loaded. Check your connection, then load the page again.</p>
      </section>
    </div>
  );
}
