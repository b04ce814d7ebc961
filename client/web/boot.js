// A classic script in the head: what the page looks like is settled before its first paint.
(() => {
	const root = document.documentElement;
	let kept = {};
	try {
		kept = JSON.parse(localStorage.getItem("samedeal.settings")) || {};
	} catch {
		// Without storage, or with something odd in it, the device decides.
	}
	for (const key of ["theme", "suits", "cards", "contrast"]) if (kept[key]) root.dataset[key] = kept[key];
})();
