// The slider of a replay: marks a move in the list. Without scripts the list itself is the replay.
const moves = [...document.querySelectorAll("#moves > li")];
const at = document.querySelector("#at"), place = document.querySelector("#place");
if (at && moves.length) {
  const show = () => {
    moves.forEach((move, index) => move.classList.toggle("now", index === at.value - 1));
    moves[at.value - 1].scrollIntoView({ block: "nearest" });
    place.textContent = `${at.value} / ${moves.length}`;
  };
  at.addEventListener("input", show);
  document.querySelector("#slider").hidden = false;
  at.value = 1;
  show();
}
