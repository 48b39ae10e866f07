//go:build ui

package uitest

import (
	"strings"
	"testing"
)

const (
	theirs = `{"iban":"DE02 1203 0000 0000 2020 51","amount":1240,"subject":"Invoice 2231 <b>\u001b[31mred\u202e</b>"}`
	again  = `{"iban":"DE02120300000000202051","amount":12,"subject":"Invoice 2240"}`
	later  = `{"iban":"DE02120300000000202051","amount":99,"subject":"Invoice 2250"}`
)

// An invoice says where to pay from now on. The bank's tool would pay there: the call isn't made, and the window shows both ends. It is allowed once,
// then to that account for good, until that is taken back, and refused.
func TestACallThatCarriesAnAccountIsDecidedInTheWindow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	bills, bank := newServer(t, billsFace(), nil), newServer(t, bankFace(), nil)
	h.allowed("bills", bills)
	h.allowed("bank", bank)
	a := h.open()
	invoices, payments := h.wrapped("bills", bills, h.env()), h.wrapped("bank", bank, h.env())
	payments.runs("transfer_money", `{"iban":"DE89370400440532013000","amount":5}`, "Transferred")
	invoices.runs("read_invoice", `{"number":"2231"}`, "bank details have changed")

	payments.refused("transfer_money", theirs, "inbox item")
	a.trayClick("bank — a call to review")
	a.shows()
	a.find(heading, "Claude wants to call")
	a.says("transfer_money", "Something in it came out of a response", "Why you are asked", "de02120300000000202051", "bills", "read_invoice", "in running text", "/iban", "Invoice 2231 <b>", "If you do nothing, it is never run")
	a.refusesCall()
	if answer := payments.call("transfer_money", theirs); !strings.Contains(answer, "the user refused this call") {
		t.Errorf("a refused call: %.400s", answer)
	}

	// To this account for good, whatever the amount, until that is taken back.
	payments.refused("transfer_money", again, "inbox item")
	a.trayClick("bank — a call to review")
	a.says("Claude wants to call", "Invoice 2240")
	a.press(button, "More actions for this tool")
	a.press(button, alwaysTo)
	a.says("can pass these values on as often as Claude likes")
	a.press(button, "Always allow")
	a.trayGone("a call to review")
	payments.runs("transfer_money", again, "Transferred")
	payments.runs("transfer_money", `{"iban":"DE02120300000000202051","amount":13}`, "Transferred")
	a.press(link, "Settings")
	a.says("Calls you always allow", "de02120300000000202051", "made 2 times")
	a.press(button, "End now: a call of")
	a.says("Sallyport asks you about it again")

	payments.refused("transfer_money", later, "inbox item")
	a.trayClick("bank — a call to review")
	a.says("Claude wants to call", "Invoice 2250")
	a.press(button, allowOnce)
	a.trayGone("a call to review")
	payments.runs("transfer_money", later, "Transferred")
	payments.runs("transfer_money", `{"iban":"DE89370400440532013000","amount":6}`, "Transferred") // used before the invoice came
}
