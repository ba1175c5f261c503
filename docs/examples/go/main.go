// A platform whose customers bring their own domains: docs/guides/stacks/go.md.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var sites sync.Map // the customer of each name, in place of your database
var webhookKey, keyError = base64.StdEncoding.DecodeString(strings.TrimPrefix(setting("WEBHOOK_SECRET"), "whsec_"))
var edgeSecret, edges = setting("EDGE_SECRET"), setting("EDGE_ADDRESSES")

// A response of the API, or an event.
type message struct {
	Type string
	Data struct {
		URL, ExternalID string
		Domain          struct{ Domain string }
	}
	Error struct {
		Status int
		Detail string
	}
}

func main() {
	if keyError != nil || len(webhookKey) == 0 {
		log.Fatal("Set WEBHOOK_SECRET.") // a key that is empty or cut short could be guessed
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+setting("PORT"), http.HandlerFunc(serve)))
}

// Requests from the edge are for customers' sites, whatever their path. During a rotation it sends "NEW, OLD".
func serve(w http.ResponseWriter, r *http.Request) {
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
	isFromEdge := has(edges, ",", address) && has(r.Header.Get("Nameplate-Edge-Secret"), ", ", edgeSecret)
	customer, isKnown := sites.Load(host)
	switch {
	case isFromEdge && isKnown:
		fmt.Fprintf(w, "The site of %s, at %s, for %s.\n", customer, host, r.Header.Get("X-Real-IP"))
	case isFromEdge:
		http.NotFound(w, r)
	case r.Method+" "+r.URL.Path == "POST /webhooks/nameplate":
		w.WriteHeader(receive(r))
	case r.Method+" "+r.URL.Path == "POST /domains":
		attach(w, r)
	default:
		http.Error(w, "Forbidden", http.StatusForbidden)
	}
}

// Compares in constant time.
func has(list, separator, wanted string) bool {
	for _, each := range strings.Split(list, separator) {
		if hmac.Equal([]byte(each), []byte(wanted)) {
			return true
		}
	}
	return false
}

func receive(r *http.Request) (status int) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	sent, _ := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	mac := hmac.New(sha256.New, webhookKey)
	fmt.Fprintf(mac, "%s.%d.%s", r.Header.Get("webhook-id"), sent, body)
	signature := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	isNew := time.Since(time.Unix(sent, 0)).Abs() < 5*time.Minute
	var event message
	if !isNew || !has(r.Header.Get("webhook-signature"), " ", signature) || json.Unmarshal(body, &event) != nil {
		return http.StatusBadRequest
	}
	name, customer := event.Data.Domain.Domain, event.Data.ExternalID
	if owner, _ := sites.Load(name); event.Type == "domain.deleted" && owner == customer {
		sites.Delete(name)
	} else if event.Type == "domain.verified" {
		sites.Store(name, customer)
	}
	return http.StatusNoContent
}

func attach(w http.ResponseWriter, r *http.Request) {
	name, customer := strings.ToLower(r.FormValue("domain")), r.Header.Get("X-Customer") // your own sign-in takes its place
	if customer == "" {
		http.Error(w, "Sign in first.", http.StatusUnauthorized)
		return
	}
	var answer message
	if owner, _ := sites.Load(name); owner != customer {
		answer = call("domains.createDomain", map[string]any{"domain": name, "environment": setting("ENVIRONMENT_ID"),
			"externalId": customer, "replaceUnverified": true})
	}
	if answer.Error.Status == 0 {
		sites.Store(name, customer)
		answer = call("domains.createSetupLink", map[string]any{"domain": name})
	}
	switch answer.Error.Status {
	case 0:
		http.Redirect(w, r, answer.Data.URL, http.StatusSeeOther)
	case http.StatusBadRequest, http.StatusConflict:
		http.Error(w, answer.Error.Detail, answer.Error.Status)
	default:
		log.Print(answer.Error)
		http.Error(w, "Try again later.", http.StatusBadGateway)
	}
}

// A request with an Idempotency-Key happens once: Go repeats it by itself when it loses a connection that it reused.
func call(operation string, input map[string]any) (answer message) {
	body, _ := json.Marshal(input)
	key := make([]byte, 16)
	rand.Read(key)
	request, _ := http.NewRequest("POST", setting("NAMEPLATE_URL")+"/v2/"+operation, bytes.NewReader(body))
	request.Header = http.Header{"Authorization": {"Bearer " + setting("NAMEPLATE_ROOT_KEY")},
		"Content-Type": {"application/json"}, "Idempotency-Key": {fmt.Sprintf("%x", key)}}
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Do(request)
	if err == nil {
		defer response.Body.Close()
		err = json.NewDecoder(response.Body).Decode(&answer)
	}
	if err != nil {
		answer.Error.Status, answer.Error.Detail = http.StatusBadGateway, err.Error()
	}
	return answer
}

func setting(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Fatalf("Set %s.", name)
	}
	return value
}
