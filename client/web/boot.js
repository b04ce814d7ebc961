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
	const known = ["en", "ru", "id", "ca"];
	const asked = [kept.language, ...navigator.languages].map(language => String(language).slice(0, 2).toLowerCase());
	root.lang = asked.find(language => known.includes(language)) || "en";
})();
